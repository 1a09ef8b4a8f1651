package io.imexagent.imex.probe;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.Gpu.GpuFabric.TypedClique;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.host.json.JsonTrees;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The node's inventory as a document and as text for people. In the document, a part with several states is an object
 * with a {@code state}, and unknown parts are left out.
 */
public final class InventoryDocument {

    private static final String DETAIL = "detail";
    private static final String REASON = "reason";

    /** The type of the clique whose value is the clique itself. */
    private static final String UNICAST = "unicast_pointer";

    private InventoryDocument() {}

    private record Described(ObjectNode document, Cell cell) {

        Described(String state, Cell cell) {
            this(JsonNodeFactory.instance.objectNode().put("state", state), cell);
        }

        /** A state with a reason, which is in this member. */
        static Described because(String state, String member, String reason, Function<String, Cell> style) {
            return new Described(state, style.apply(state + ": " + reason)).with(member, reason);
        }

        Described with(String member, String value) {
            document.put(member, value);
            return this;
        }

        Described with(String member, int value) {
            document.put(member, value);
            return this;
        }

        Described with(String member, List<String> values) {
            values.forEach(document.putArray(member)::add);
            return this;
        }
    }

    /** The document; the Xids are those that agents have received since the boot, empty if no agent has listened. */
    public static ObjectNode of(NodeInventory inventory, Optional<XidHistory> xids) {
        ObjectNode document = JsonNodeFactory.instance.objectNode().put("simulated", inventory.simulated());
        document.set("driver", driver(inventory.driver()).document());
        document.set("clique", clique(inventory).document());
        document.set("channelMajor", major(inventory.channelMajor()).document());
        inventory.channelCount().ifPresent(count -> document.put("channelCount", count));
        document.set("channelNode", node(inventory.channelNode()).document());
        inventory.bootId().ifPresent(id -> document.put("bootId", id.value()));
        inventory.vendor().ifPresent(vendor -> document.put("vendor", vendor));
        ArrayNode gpus = document.putArray("gpus");
        inventory.gpus().forEach(gpu -> document(gpu, gpus.addObject()));
        xids.ifPresent(history -> document(history, document.putObject("xids")));
        document.set("findings", JsonTrees.findings(inventory.findings()));
        return document;
    }

    private static void document(Gpu gpu, ObjectNode document) {
        document.put("index", gpu.index()).put("name", gpu.name()).put("uuid", gpu.uuid());
        gpu.pci().ifPresent(pci -> document.put("pci", pci.toString()));
        document.set("fabric", fabric(gpu.fabric()).document());
        GpuHealth health = gpu.health();
        ObjectNode healths = document.putObject("health");
        if (!health.fabric().isEmpty()) {
            ObjectNode bits = healths.putObject("fabric");
            health.fabric().forEach(bit -> bits.put(bit.name(), bit.value()));
        }
        health.summary().ifPresent(summary -> healths.put("fabricSummary", summary));
        health.recoveryAction().ifPresent(action -> healths.put("recoveryAction", action));
    }

    private static void document(XidHistory history, ObjectNode document) {
        ArrayNode events =
                document.put("heardSince", history.since().toString()).putArray("heard");
        for (XidHistory.XidEvent xid : history.events()) {
            ObjectNode entry = events.addObject();
            xid.gpu().ifPresent(gpu -> entry.put("gpu", gpu));
            entry.put("xid", xid.number())
                    .put("of", lower(xid.cause()))
                    .put("count", xid.count())
                    .put("first", xid.first().toString())
                    .put("last", xid.last().toString());
        }
    }

    /** The text; the parameters are those of {@link #of}. */
    public static String text(NodeInventory inventory, Optional<XidHistory> xids, Screen screen) {
        return Table.texts(
                screen,
                facts(inventory, xids),
                gpus(inventory.gpus()),
                eventTable(xids.map(XidHistory::events).orElse(List.of())),
                Table.of(inventory.findings()));
    }

    private static Table facts(NodeInventory inventory, Optional<XidHistory> xids) {
        Table facts = Table.ofFacts();
        if (inventory.simulated()) {
            facts.fact("simulated", Cell.warning("yes: driver, GPUs and clique are not those of this host"));
        }
        return facts.fact("driver", driver(inventory.driver()).cell())
                .fact("clique", clique(inventory).cell())
                .fact("channel major", major(inventory.channelMajor()).cell())
                .fact("channels", number(inventory.channelCount()))
                .fact("channel 0 node", node(inventory.channelNode()).cell())
                .fact("boot", inventory.bootId().map(id -> id.value()).orElse(Cell.UNKNOWN))
                .fact("vendor", inventory.vendor().orElse(Cell.UNKNOWN))
                .fact(
                        "Xids",
                        xids.map(InventoryDocument::xids).orElse("unknown: no agent has listened since the boot"));
    }

    private static String xids(XidHistory history) {
        long count =
                history.events().stream().mapToLong(XidHistory.XidEvent::count).sum();
        return (count == 0 ? "none" : Long.toString(count)) + " heard by the agent since " + history.since();
    }

    private static Table eventTable(List<XidHistory.XidEvent> events) {
        Table table = Table.of("GPU", "XID", "OF", "COUNT", "FIRST", "LAST");
        for (XidHistory.XidEvent xid : events) {
            table.row(
                    Cell.of(number(xid.gpu())),
                    Cell.of(Long.toString(xid.number())),
                    xid.cause() == XidHistory.XidCause.GPU ? Cell.bad("gpu") : Cell.of("program"),
                    Cell.of(Long.toString(xid.count())),
                    Cell.of(xid.first().toString()),
                    Cell.of(xid.last().toString()));
        }
        return table;
    }

    private static Table gpus(List<Gpu> gpus) {
        Table table = Table.of("GPU", "NAME", "PCI", "UUID", "FABRIC", "HEALTH");
        for (Gpu gpu : gpus) {
            table.row(
                    Cell.of(Integer.toString(gpu.index())),
                    Cell.of(gpu.name()),
                    Cell.of(gpu.pci().map(PciAddress::toString).orElse(Cell.UNKNOWN)),
                    Cell.of(gpu.uuid()),
                    fabric(gpu.fabric()).cell(),
                    health(gpu.health()));
        }
        return table;
    }

    private static Cell health(GpuHealth health) {
        String complaints = String.join(", ", health.complaints());
        return switch (health.weight()) {
            case GOOD -> health.equals(GpuHealth.UNTOLD) ? Cell.of(Cell.UNKNOWN) : Cell.good("well");
            case DEGRADED, UNKNOWN -> Cell.warning(complaints);
            case BAD -> Cell.bad(complaints);
        };
    }

    private static Described driver(DriverState driver) {
        return switch (driver) {
            case DriverState.LoadedDriver(String version, String nvml) ->
                new Described("loaded", Cell.good("loaded, " + version + ", NVML " + nvml))
                        .with("driverVersion", version)
                        .with("nvmlVersion", nvml);
            case DriverState.AbsentDriver(String reason) -> Described.because("absent", REASON, reason, Cell::bad);
            case DriverState.FailingDriver(String reason) -> Described.because("failing", REASON, reason, Cell::bad);
        };
    }

    private static Described clique(NodeInventory inventory) {
        return switch (inventory.clique()) {
            case CliqueState.KnownClique(CliqueId id) -> present(id, CliqueState.outside(inventory.gpus()));
            case CliqueState.NoClique(String reason) -> Described.because("none", REASON, reason, Cell::warning);
            case CliqueState.RegisteringClique(String detail) ->
                Described.because("registering", DETAIL, detail, Cell::warning);
            case CliqueState.FailedClique(String detail) -> Described.because("failed", DETAIL, detail, Cell::bad);
            case CliqueState.ConflictingClique(var ids) -> {
                List<String> texts = ids.stream().map(CliqueId::text).toList();
                yield new Described("conflicting", Cell.bad("conflicting: " + String.join(", ", texts)))
                        .with("ids", texts);
            }
            case CliqueState.UnknownClique(String detail) -> Described.because("unknown", DETAIL, detail, Cell::bad);
        };
    }

    /** A known clique with the GPUs that should be in it and are not; the member {@code outside} has their indexes. */
    private static Described present(CliqueId id, List<Gpu> outside) {
        List<String> indexes =
                outside.stream().map(gpu -> Integer.toString(gpu.index())).toList();
        var described = new Described(
                        "present",
                        outside.isEmpty()
                                ? Cell.good(id.text())
                                : Cell.bad(id.text() + ", without GPU " + String.join(", ", indexes)))
                .with("id", id.text());
        if (!outside.isEmpty()) {
            ArrayNode numbers = described.document().putArray("outside");
            outside.forEach(gpu -> numbers.add(gpu.index()));
        }
        return described;
    }

    private static Described major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.RegisteredMajor(int number) ->
                new Described("registered", Cell.good(Integer.toString(number))).with("major", number);
            case ChannelMajor.UnregisteredMajor _ -> new Described("not-registered", Cell.bad("not registered"));
            case ChannelMajor.UnknownMajor(String detail) -> Described.because("unknown", DETAIL, detail, Cell::bad);
        };
    }

    private static Described node(ChannelNode node) {
        return switch (node) {
            case ChannelNode.AbsentNode _ -> new Described("absent", Cell.of("absent; containers get their own"));
            case ChannelNode.PresentNode(int major, int minor, int mode) -> {
                String octal = String.format(Locale.ROOT, "%04o", mode);
                yield new Described("present", Cell.of(major + ":" + minor + ", mode " + octal))
                        .with("major", major)
                        .with("minor", minor)
                        .with("mode", octal);
            }
            case ChannelNode.UnusableNode(String detail) ->
                Described.because("unusable", DETAIL, detail, Cell::warning);
        };
    }

    private static Described fabric(Gpu.GpuFabric fabric) {
        return switch (fabric) {
            case Gpu.GpuFabric.NoFabric _ -> new Described("not-supported", Cell.of("none"));
            case Gpu.GpuFabric.FabricRegistering(String state) ->
                Described.because("registering", DETAIL, state, Cell::warning);
            case Gpu.GpuFabric.FabricRegistered(
                    Optional<CliqueId> clique,
                    List<String> unhealthy,
                    List<TypedClique> typed) -> {
                String text = Stream.concat(
                                Stream.of(
                                        "registered", clique.map(CliqueId::text).orElse("no clique")),
                                typed.stream()
                                        .filter(other -> !other.type().equals(UNICAST))
                                        .map(other -> other.type().replace('_', ' ') + " " + other.number()))
                        .collect(Collectors.joining(", "));
                var described = new Described(
                        "registered",
                        unhealthy.isEmpty()
                                ? Cell.good(text)
                                : Cell.warning(text + "; unhealthy: " + String.join(", ", unhealthy)));
                clique.ifPresent(id -> described.with("clique", id.text()));
                if (!typed.isEmpty()) {
                    ArrayNode cliques = described.document().putArray("cliques");
                    typed.forEach(
                            each -> cliques.addObject().put("type", each.type()).put("number", each.number()));
                }
                yield described.with("unhealthy", unhealthy);
            }
            case Gpu.GpuFabric.FabricFailed(String reason) -> Described.because("failed", REASON, reason, Cell::bad);
            case Gpu.GpuFabric.FabricUnknown unknown ->
                Described.because("unknown", REASON, unknown.reason(), Cell::bad);
        };
    }

    private static String number(OptionalInt number) {
        return number.isPresent() ? Integer.toString(number.getAsInt()) : Cell.UNKNOWN;
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
