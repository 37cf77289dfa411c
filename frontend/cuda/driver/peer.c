/* Peer access: kernels of one device on the memory of another. All devices can have it. Memory of pools is shared by
 * cuMemPoolSetAccess instead; host and managed memory is always accessible. */
#include "frontend/cuda/driver/driver.h"

static uint32_t bit(int device) { return UINT32_C(1) << device; }

/* Enters the driver for a query about two devices; `result`, where the value goes, must not be NULL. */
static CUresult enter_pair(CUdevice device, CUdevice peer, const void *result)
{
    CUresult r = enter(NEED_DRIVER);
    if (r)
        return r;
    if (!result)
        return leave(CUDA_ERROR_INVALID_VALUE);
    return is_device(device) && is_device(peer) ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    CUresult r = enter_pair(device, peer, can);
    if (r)
        return r;
    *can = device != peer;
    return leave(CUDA_SUCCESS);
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
    enum { PERFORMANCE_RANK = 1, ACCESS, NATIVE_ATOMICS, ARRAY_ACCESS }; /* CUdevice_P2PAttribute */
    CUresult r = enter_pair(from, to, value);
    if (r)
        return r;
    if (from == to)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    if (attribute < PERFORMANCE_RANK || attribute > ARRAY_ACCESS)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *value = attribute != PERFORMANCE_RANK;
    return leave(CUDA_SUCCESS);
}

/* A device has access if one of its contexts has enabled it. */
static void update(int owner)
{
    uint32_t peers = 0;
    for (CUcontext c = driver.contexts; c; c = c->next)
        peers |= c->alive && c->peers & bit(owner) ? bit(c->device) : 0;
    if (peers == driver.peers[owner])
        return;
    driver.peers[owner] = peers;
    access_changed(owner);
}

/* Enters the driver for a change of the current context's access to another's memory. */
static CUresult enter_change(CUcontext peer)
{
    CUresult r = enter(NEED_CONTEXT);
    if (r)
        return r;
    bool fits = is_context(peer) && peer->alive && peer != current_context();
    return fits ? CUDA_SUCCESS : leave(CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    CUresult r = enter_change(peer);
    if (r)
        return r;
    CUcontext c = current_context();
    if (flags || peer->device == c->device)
        return leave(flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    if (c->peers & bit(peer->device))
        return leave(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    c->peers |= bit(peer->device);
    update(peer->device);
    return leave(CUDA_SUCCESS);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    CUresult r = enter_change(peer);
    if (r)
        return r;
    CUcontext c = current_context();
    if (!(c->peers & bit(peer->device)))
        return leave(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    c->peers &= ~bit(peer->device);
    update(peer->device);
    return leave(CUDA_SUCCESS);
}

void peers_release(CUcontext c)
{
    c->peers = 0;
    for (int owner = 0; owner < driver.devices; owner++)
        update(owner);
}
