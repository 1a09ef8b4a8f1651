package io.imexagent.core.slice;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.Finding;
import java.util.List;
import java.util.stream.IntStream;

/** Pools of devices and slices of them. */
final class Pools {

    static final String POOL = "node-a";
    static final Finding WHY = new Finding("why", Severity.CRITICAL, "So it is.", "Do something.");

    private Pools() {}

    static List<Device> devices(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> Device.channel(new ChannelId(number)))
                .toList();
    }

    /** A device that keeps pods away. */
    static Device tainted(Device device) {
        return device.tainted(
                List.of(new Device.DeviceTaint("example.com/broken", "", Device.DeviceTaint.TaintEffect.NO_SCHEDULE)));
    }

    static DesiredPool.Publish publish(int count) {
        return new DesiredPool.Publish(POOL, devices(count));
    }

    static PoolSlice slice(long generation, int sliceCount, List<Device> devices) {
        return new PoolSlice(POOL, generation, sliceCount, devices);
    }

    static ObservedSlice observed(String name, PoolSlice content) {
        return new ObservedSlice(name, "rv-" + name, true, content);
    }

    static ObservedSlice foreign(String name, PoolSlice content) {
        return new ObservedSlice(name, "rv-" + name, false, content);
    }
}
