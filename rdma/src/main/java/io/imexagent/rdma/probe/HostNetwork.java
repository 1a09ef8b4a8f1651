package io.imexagent.rdma.probe;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.core.setting.Value.IpAddress;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.host.json.MalformedJsonException;
import io.imexagent.rdma.inventory.InterfaceName;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The parts of the host's network that the kernel shows in no file, from the output of {@code ip} of iproute2. */
record HostNetwork(HostFiles files) {

    private static final List<String> ADDRESSES = List.of("ip", "-j", "address", "show");
    private static final List<String> DEFAULT_ROUTES = List.of("ip", "-j", "-4", "route", "show", "default");
    private static final IpAddress IP_ADDRESS = new IpAddress();

    /** The interfaces by address; empty if {@code ip} fails. Addresses that a cloud translates are missing. */
    Optional<Map<InetAddress, InterfaceName>> owners() {
        return ask(ADDRESSES).map(HostNetwork::addresses);
    }

    /** All next hops of the IPv4 default routes in the main table; empty if {@code ip} fails. */
    Optional<Set<InterfaceName>> defaultRoutes() {
        return ask(DEFAULT_ROUTES).map(HostNetwork::hops);
    }

    /** The kernel's name for the interface's kind, {@code openvswitch} or {@code dummy}; empty if unknown. */
    Optional<String> kind(InterfaceName name) {
        return ask(List.of("ip", "-j", "-d", "link", "show", "dev", name.text()))
                .map(links -> links.at("/0/linkinfo/info_kind").asText())
                .filter(kind -> !kind.isEmpty());
    }

    private Optional<JsonNode> ask(List<String> question) {
        return files.printed(question).flatMap(text -> {
            try {
                return Optional.of(JsonTrees.printed(text.isBlank() ? "[]" : text));
            } catch (MalformedJsonException otherOutput) {
                return Optional.empty();
            }
        });
    }

    private static Map<InetAddress, InterfaceName> addresses(JsonNode links) {
        Map<InetAddress, InterfaceName> found = new HashMap<>();
        for (JsonNode link : links) {
            for (JsonNode address : link.path("addr_info")) {
                String text = address.path("local").asText();
                if (IP_ADDRESS.test(text)) {
                    InterfaceName.parse(link.path("ifname").asText())
                            .ifPresent(name -> found.put(InetAddress.ofLiteral(text), name));
                }
            }
        }
        return found;
    }

    /** The next hops of routes; a route has one, {@code dev}, or several in {@code nexthops}. */
    private static Set<InterfaceName> hops(JsonNode routes) {
        Set<InterfaceName> found = new LinkedHashSet<>();
        for (JsonNode route : routes) {
            InterfaceName.parse(route.path("dev").asText()).ifPresent(found::add);
            route.path("nexthops")
                    .forEach(
                            hop -> InterfaceName.parse(hop.path("dev").asText()).ifPresent(found::add));
        }
        return found;
    }
}
