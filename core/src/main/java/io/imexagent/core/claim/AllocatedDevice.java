package io.imexagent.core.claim;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One device of an allocation, {@code resource.k8s.io/v1 DeviceRequestAllocationResult}: the {@code request} that it
 * satisfies may be {@code request/subrequest}; the pool of node-local devices is the node's name; several claims may
 * hold a device, each with a {@code shareId}; capacities are name to quantity in canonical form.
 */
public record AllocatedDevice(
        String request,
        String driver,
        String pool,
        String device,
        Optional<Boolean> adminAccess,
        List<JsonText> tolerations,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        Optional<String> shareId,
        SortedMap<String, String> consumedCapacity) {

    public AllocatedDevice {
        tolerations = List.copyOf(tolerations);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        consumedCapacity = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, String>) consumedCapacity));
    }

    /** The request without its subrequest, as pods and the kubelet know it: {@code gpus/large} is {@code gpus}. */
    public static String mainRequest(String request) {
        int slash = request.indexOf('/');
        return slash < 0 ? request : request.substring(0, slash);
    }
}
