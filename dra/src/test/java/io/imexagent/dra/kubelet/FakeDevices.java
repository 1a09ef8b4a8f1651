package io.imexagent.dra.kubelet;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Devices whose health a test sets. */
final class FakeDevices implements DeviceHealthSource {

    static final DeviceHealth WELL = new DeviceHealth("node-1", "channel-0", DeviceHealth.HealthStatus.HEALTHY, "");

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile List<DeviceHealth> devices = List.of(WELL);

    void set(List<DeviceHealth> now) {
        devices = List.copyOf(now);
        listeners.forEach(Runnable::run);
    }

    @Override
    public List<DeviceHealth> current() {
        return devices;
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }
}
