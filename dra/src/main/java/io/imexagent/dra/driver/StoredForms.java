package io.imexagent.dra.driver;

import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.PoolSlice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The form in which the API server stores devices: it silently drops fields whose feature gates are off. Observed
 * slices are compared with this form, otherwise the same device would be published for ever.
 */
public final class StoredForms {

    private static final Logger LOG = LoggerFactory.getLogger(StoredForms.class);

    private final Map<Device, Device> forms = new HashMap<>();
    private boolean unshared;

    /** The pool in the form that the server stores, for comparison. */
    public DesiredPool.Publish stored(DesiredPool.Publish desired) {
        forms.keySet().retainAll(desired.devices());
        return new DesiredPool.Publish(
                desired.pool(),
                desired.devices().stream()
                        .map(device -> forms.getOrDefault(device, device))
                        .toList(),
                desired.perSlice(),
                desired.unshared());
    }

    /** The pool to publish: on a server without devices for several claims, the pool's replacement. */
    DesiredPool fitting(DesiredPool desired) {
        return unshared && desired instanceof DesiredPool.Publish publish ? publish.withoutSharing() : desired;
    }

    /** A slice with its devices as the pool wants them, for the request. */
    PoolSlice wanted(PoolSlice slice, DesiredPool desired) {
        Map<String, Device> byName =
                desired instanceof DesiredPool.Publish publish ? byName(publish.devices()) : Map.of();
        List<Device> devices = slice.devices().stream()
                .map(device -> byName.getOrDefault(device.name(), device))
                .toList();
        return new PoolSlice(slice.pool(), slice.generation(), slice.sliceCount(), devices);
    }

    public void learn(PoolSlice requested, PoolSlice stored) {
        Map<String, Device> byName = byName(stored.devices());
        int news = 0;
        for (Device device : requested.devices()) {
            Device form = byName.get(device.name());
            unshared |= form != null && device.shared() && !form.shared();
            if (form == null || form.equals(device)) {
                forms.remove(device);
            } else if (!form.equals(forms.put(device, form))) {
                warn(device, form, ++news);
            }
        }
    }

    private static Map<String, Device> byName(List<Device> devices) {
        return devices.stream().collect(Collectors.toMap(Device::name, Function.identity()));
    }

    /** Warns once for a slice, since its devices are all stored alike. */
    private static void warn(Device requested, Device stored, int nth) {
        if (nth > 1) {
            LOG.debug(
                    "the API server dropped fields of another device device={} missing=\"{}\"",
                    requested.name(),
                    missing(requested, stored));
        } else if (requested.shared(false).equals(stored)) {
            LOG.warn("the cluster cannot share devices among claims; enable the feature gate DRAConsumableCapacity"
                    + " (on by default from Kubernetes 1.36)");
        } else {
            LOG.warn(
                    "the API server dropped fields of a device, a feature gate is off device={} missing=\"{}\"",
                    requested.name(),
                    missing(requested, stored));
        }
    }

    private static String missing(Device requested, Device stored) {
        List<String> missing = new ArrayList<>();
        requested.attributes().forEach((name, value) -> {
            if (!value.equals(stored.attributes().get(name))) {
                missing.add(name);
            }
        });
        if (!requested.taints().equals(stored.taints())) {
            missing.add("taints");
        }
        if (requested.shared() != stored.shared()) {
            missing.add("allowMultipleAllocations");
        }
        return String.join(", ", missing);
    }
}
