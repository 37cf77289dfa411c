#include "tools/ui/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

unsigned screen_width(FILE *to)
{
    struct winsize size;
    int fd = fileno(to);
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
