/* cuda::barrier, cuda::pipeline and memcpy_async of libcu++, and the primitives of cuda_pipeline.h: what was copied or produced is
 * there behind the wait. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "../test.h"

namespace cg = cooperative_groups;

enum { BLOCK = 128, STAGES = 3, BATCHES = 10, N = BLOCK * BATCHES };

/* Producers fill one half of shared memory while consumers read the other: two barriers each way. */
__global__ void hand_over(const int *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full[2], empty[2];
    __shared__ int data[2][BLOCK / 2];
    unsigned i = threadIdx.x % (BLOCK / 2);
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; s++) {
            init(&full[s], BLOCK);
            init(&empty[s], BLOCK);
        }
    __syncthreads();
    if (threadIdx.x < BLOCK / 2) {
        for (int b = 0; b < 8; b++) {
            empty[b % 2].arrive_and_wait();
            data[b % 2][i] = in[b * (BLOCK / 2) + i] * 3;
            (void)full[b % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        int sum = 0;
        for (int b = 0; b < 8; b++) {
            full[b % 2].arrive_and_wait();
            sum += data[b % 2][(i + 1) % (BLOCK / 2)];
            (void)empty[b % 2].arrive();
        }
        out[i] = sum;
    }
}

__global__ void pipelined(const int *in, int *out)
{
    __shared__ int data[STAGES][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, fetched = 0;
    for (int b = 0; b < BATCHES; b++) {
        for (; fetched < BATCHES && fetched < b + STAGES; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, data[fetched % STAGES], in + fetched * BLOCK, sizeof data[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        sum += data[b % STAGES][BLOCK - 1 - threadIdx.x];
        block.sync();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

__global__ void copied(const int *in, int *out)
{
    alignas(16) __shared__ int data[N];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, data, in, sizeof data);
    cg::wait(block);
    out[threadIdx.x] = data[threadIdx.x * 7 % N] + data[N - 1 - threadIdx.x];
}

__global__ void primitives(const int4 *in, int *out)
{
    __shared__ int4 data[2][BLOCK];
    __pipeline_memcpy_async(&data[0][threadIdx.x], in + threadIdx.x, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&data[1][threadIdx.x], in + BLOCK + threadIdx.x, 16, 8); /* the last 8 bytes become 0 */
    __pipeline_commit();
    __pipeline_wait_prior(1);
    int sum = data[0][threadIdx.x].w;
    __pipeline_wait_prior(0);
    __syncthreads();
    int4 other = data[1][(threadIdx.x + 5) % BLOCK];
    out[threadIdx.x] = sum + other.x + 1000 * other.y + other.z + other.w;
}

/* Threads that leave the barrier's expected count; and a barrier with a completion function. */
struct add_one {
    int *count;
    __device__ void operator()() const { *count += 1; }
};
__global__ void dropping(int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block, add_one>;
    alignas(barrier) __shared__ char place[sizeof(barrier)];
    __shared__ int phases;
    barrier &b = *reinterpret_cast<barrier *>(place);
    if (threadIdx.x == 0) {
        phases = 0;
        new (&b) barrier(blockDim.x, add_one{&phases});
    }
    __syncthreads();
    for (unsigned round = 0; round < 4; round++) {
        if (threadIdx.x % 4 < round) {
            b.arrive_and_drop();
            return;
        }
        b.arrive_and_wait();
    }
    out[threadIdx.x] = phases;
}

int main()
{
    static int in[N], out[BLOCK];
    int *from, *to;
    for (int i = 0; i < N; i++)
        in[i] = i * 7 % 1009;
    CHECK(cudaMalloc(&from, sizeof in));
    CHECK(cudaMalloc(&to, sizeof out));
    CHECK(cudaMemcpy(from, in, sizeof in, cudaMemcpyDefault));

    hand_over<<<1, BLOCK>>>(from, to);
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < BLOCK / 2; i++) {
        int sum = 0;
        for (int b = 0; b < 8; b++)
            sum += 3 * in[b * (BLOCK / 2) + (i + 1) % (BLOCK / 2)];
        EXPECT(out[i] == sum);
    }
    ok("producers and consumers");

    pipelined<<<1, BLOCK>>>(from, to);
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < BLOCK; i++) {
        int sum = 0;
        for (int b = 0; b < BATCHES; b++)
            sum += in[b * BLOCK + BLOCK - 1 - i];
        EXPECT(out[i] == sum);
    }
    ok("a pipeline of three stages");

    copied<<<1, BLOCK>>>(from, to);
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < BLOCK; i++)
        EXPECT(out[i] == in[i * 7 % N] + in[N - 1 - i]);
    ok("memcpy_async of a block");

    primitives<<<1, BLOCK>>>((const int4 *)from, to);
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < BLOCK; i++) {
        const int *other = in + 4 * (BLOCK + (i + 5) % BLOCK);
        EXPECT(out[i] == in[4 * i + 3] + other[0] + 1000 * other[1]);
    }
    ok("primitives of pipelines");

    CHECK(cudaMemset(to, 0xff, sizeof out));
    dropping<<<1, BLOCK>>>(to);
    CHECK(cudaMemcpy(out, to, sizeof out, cudaMemcpyDefault));
    for (int i = 0; i < BLOCK; i++)
        EXPECT(out[i] == (i % 4 == 3 ? 4 : -1));
    ok("barriers that threads leave");
    return 0;
}
