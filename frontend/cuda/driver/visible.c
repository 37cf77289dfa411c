/* Which devices the program sees, and in which order: CUDA_VISIBLE_DEVICES ("CUDA C++ Programming Guide", CUDA
 * Environment Variables). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/driver/driver.h"

CUuuid device_uuid(int place)
{
    CUuuid id = {"reprise device"};
    id.bytes[sizeof id.bytes - 1] = (char)place;
    return id;
}

/* Whether the text, up to a comma, is "GPU-" and the beginning of the device's UUID. */
static bool names_device(const char *text, size_t length, int place)
{
    CUuuid id = device_uuid(place);
    char all[48] = "GPU-";
    for (size_t i = 0, at = 4; i < sizeof id.bytes; i++)
        at += (size_t)snprintf(all + at, sizeof all - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                               (unsigned char)id.bytes[i]);
    return length > 4 && length <= strlen(all) && !strncmp(all, text, length);
}

/* The device that the text names, up to a comma; -1: none. */
static int device_named(const char *text, int count)
{
    char *end;
    size_t length = strcspn(text, ",");
    long number = strtol(text, &end, 10);
    if (length && end == text + length && number >= 0 && number < count)
        return (int)number;
    for (int place = 0; place < count; place++)
        if (names_device(text, length, place))
            return place;
    return -1;
}

static bool is_listed(int place)
{
    for (int i = 0; i < driver.devices; i++)
        if (driver.place[i] == place)
            return true;
    return false;
}

/* The list ends before the first name that is none. A device that is named twice leaves none at all. */
void devices_select(int count)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    driver.devices = 0;
    for (; !list && driver.devices < count; driver.devices++)
        driver.place[driver.devices] = (uint8_t)driver.devices;
    for (int place; list && (place = device_named(list, count)) >= 0;) {
        if (is_listed(place)) {
            driver.devices = 0;
            return;
        }
        driver.place[driver.devices++] = (uint8_t)place;
        list += strcspn(list, ",");
        if (!*list++)
            return;
    }
}

bool is_device(CUdevice device) { return device >= 0 && device < driver.devices; }
