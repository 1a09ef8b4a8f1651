package io.imexagent.rdma.probe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.setting.Value.IpAddress;
import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.rdma.inventory.InterfaceName;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** What a running kernel says of the host's network, and no file does, as {@code ip} of iproute2 prints it. */
public final class HostNetwork {

    private static final List<String> ADDRESSES = List.of("ip", "-j", "address", "show");
    private static final List<String> DEFAULT_ROUTES = List.of("ip", "-j", "-4", "route", "show", "default");
    private static final IpAddress IP_ADDRESS = new IpAddress();
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Programs programs;
    private final BiConsumer<String, String> answered;

    /** The network of this host. */
    public HostNetwork() {
        this(new HostPrograms());
    }

    /** The network of which these programs tell. */
    public HostNetwork(Programs programs) {
        this(programs, (question, answer) -> {});
    }

    private HostNetwork(Programs programs, BiConsumer<String, String> answered) {
        this.programs = programs;
        this.answered = answered;
    }

    /** The same network; the listener hears each command line that was answered, with what was printed. */
    public HostNetwork heardBy(BiConsumer<String, String> listener) {
        return new HostNetwork(programs, listener);
    }

    /**
     * The interfaces by their addresses; empty where {@code ip} is missing or fails. Of an address that a cloud translates
     * there is none. Blocks, for two seconds at most: the kernel answers under a lock that a NIC which hangs may hold, so
     * another process asks.
     */
    public Optional<Map<InetAddress, InterfaceName>> owners() {
        return ask(ADDRESSES).map(HostNetwork::addresses);
    }

    /**
     * The interfaces of the IPv4 default routes of the main table, all next hops of each; empty where {@code ip} is missing
     * or fails. Blocks, for two seconds at most.
     */
    public Optional<Set<InterfaceName>> defaultRoutes() {
        return ask(DEFAULT_ROUTES).map(HostNetwork::hops);
    }

    private Optional<JsonNode> ask(List<String> question) {
        try {
            if (programs.run(Program.asking(question, DEADLINE))
                            instanceof ProgramOutcome.Ended(int code, String out, String _)
                    && code == 0) {
                answered.accept(String.join(" ", question), out);
                return Optional.of(JSON.readTree(out.isBlank() ? "[]" : out));
            }
            return Optional.empty();
        } catch (JsonProcessingException otherOutput) {
            return Optional.empty();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
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

    /** A route has one hop, {@code dev}, or several in {@code nexthops}. */
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
