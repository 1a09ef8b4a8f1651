package io.imexagent.rdma.probe;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.host.HostPrograms;
import io.imexagent.host.Program;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.host.Programs;
import io.imexagent.rdma.inventory.InterfaceName;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a running kernel tells of the host's network, and no file does. */
public class HostNetwork {

    private static final List<String> DEFAULT_ROUTES = List.of("ip", "-j", "-4", "route", "show", "default");
    private static final Duration DEADLINE = Duration.ofSeconds(2);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Programs programs;

    /** The network of this host. */
    public HostNetwork() {
        this(new HostPrograms());
    }

    HostNetwork(Programs programs) {
        this.programs = programs;
    }

    /** The interface that has this address; empty where none has, as of an address that a cloud translates. */
    public Optional<InterfaceName> owner(InetAddress address) throws SocketException {
        // A second address of an interface may have a label, eth0:1.
        return Optional.ofNullable(NetworkInterface.getByInetAddress(address))
                .map(found -> found.getName().replaceFirst(":.*", ""))
                .flatMap(InterfaceName::parse);
    }

    /**
     * The interfaces of the IPv4 default routes of the main table, all next hops of each, as {@code ip} of iproute2 tells;
     * empty where it is missing or fails. Blocks, for two seconds at most.
     */
    public Optional<Set<InterfaceName>> defaultRoutes() {
        try {
            return programs.run(Program.asking(DEFAULT_ROUTES, DEADLINE))
                                    instanceof ProgramOutcome.Ended(int code, String out, String _)
                            && code == 0
                    ? Optional.of(hops(JSON.readTree(out.isBlank() ? "[]" : out)))
                    : Optional.empty();
        } catch (JsonProcessingException otherOutput) {
            return Optional.empty();
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
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
