/* In a file of its own: make install compiles it again with its PREFIX, and replaces the object in the library. */
#include "replay/base/machine_settings.h"

const char machine_data_folder[] = REPRISE_DATADIR;
