/* Alone in its file: make install compiles it again for the PREFIX it is given, and replaces it in the library. */
#include "replay/base/machine_settings.h"

const char machine_data_folder[] = REPRISE_DATADIR;
