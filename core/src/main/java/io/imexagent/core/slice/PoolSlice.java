package io.imexagent.core.slice;

import java.util.List;

/**
 * The {@code spec} of one ResourceSlice: consumers ignore slices of an older generation of the pool; the count is that
 * of the pool's slices at this generation; devices are {@link Device#MOST_PER_SLICE} at most.
 */
public record PoolSlice(String pool, long generation, int sliceCount, List<Device> devices) {

    public PoolSlice {
        devices = List.copyOf(devices);
    }
}
