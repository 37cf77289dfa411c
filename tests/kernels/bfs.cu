/* Breadth-first search over a graph in compressed rows, one launch per level. */
#include "cuda_min.cuh"

/* One thread per node. Several threads may store the same distance at the same place, in the same launch that reads it
 * to see whether it is still unset: a benign race, as in many published codes. */
KERNEL bfs_level(const int *first, const int *neighbour, int *distance, int *changed, int n, int level)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || distance[v] != level)
        return;
    for (int e = first[v]; e < first[v + 1]; e++) {
        int u = neighbour[e];
        if (distance[u] < 0) {
            distance[u] = level + 1;
            *changed = 1;
        }
    }
}

/* One thread per node of the frontier; whoever claims a node by compare-and-swap puts it into the next frontier.
 * queue[level % 2] holds the frontier, count[level] its length; blocks take its nodes in strides. */
KERNEL bfs_queue(const int *first, const int *neighbour, int *distance, int *queue, int *count, int n, int level)
{
    const int *now = queue + level % 2 * n;
    int *next = queue + (level + 1) % 2 * n;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count[level]; i += gridDim.x * blockDim.x) {
        int v = now[i];
        for (int e = first[v]; e < first[v + 1]; e++) {
            int u = neighbour[e];
            if (atomicCAS(&distance[u], -1, level + 1) == -1)
                next[atomicAdd(&count[level + 1], 1)] = u;
        }
    }
}
