package io.imexagent.core.slice;

import java.util.List;

/**
 * One ResourceSlice of a pool: what its {@code spec} says.
 *
 * @param pool the pool's name
 * @param generation the pool's generation; consumers ignore slices of older ones
 * @param sliceCount how many slices the pool has at this generation
 * @param devices the devices of this slice, at most {@link Device#MOST_PER_SLICE}
 */
public record PoolSlice(String pool, long generation, int sliceCount, List<Device> devices) {

    public PoolSlice {
        devices = List.copyOf(devices);
    }
}
