package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimStatus.AllocatedDeviceStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Ledgers of which {@code src/test/resources/golden} has the files, made by an independent script. */
final class LedgerSpecimens {

    static final Instant TIME = Instant.parse("2026-11-21T05:46:49Z");
    static final ClaimUid A1 = new ClaimUid("a1");
    static final Optional<BootId> BOOT = Optional.of(new BootId("f87f843e-96a2-4457-b9f7-a77c468fcaff"));

    private static final String DRIVER = "compute-domain.nvidia.com";
    private static final JsonText PARAMETERS =
            new JsonText("{\"kind\":\"ComputeDomainChannelConfig\",\"domainID\":\"d\"}");
    private static final String SHARE = "5a0e2b1c-0000-4000-8000-000000000001";

    private LedgerSpecimens() {}

    /** By the name of its golden file. */
    static Map<String, Ledger> ledgers() {
        ClaimStatus plain = status("channel", 0, PARAMETERS, Optional.empty());
        Optional<ClaimName> one = name("one");
        var ledgers = new TreeMap<String, Ledger>();
        ledgers.put("empty", Ledger.empty(BOOT));
        ledgers.put("empty-without-boot-id", Ledger.empty(Optional.empty()));
        ledgers.put("started", Ledger.empty(BOOT).with(new ClaimEntry.Started(A1, one, plain)));
        ledgers.put("aborted", Ledger.empty(BOOT).with(new ClaimEntry.Aborted(A1, one, plain, TIME)));
        ledgers.put(
                "completed-without-name",
                Ledger.empty(Optional.empty()).with(completed(A1, Optional.empty(), plain, "channel", 0)));
        ledgers.put("two-claims", twoClaims());
        ledgers.put("angle-brackets", Ledger.empty(BOOT).with(completed(A1, one, treacherous(), "channel", 0)));
        ledgers.put(
                "subrequests",
                Ledger.empty(BOOT)
                        .with(completed(
                                A1,
                                one,
                                status("channel/small", 0, PARAMETERS, Optional.empty()),
                                "channel/small",
                                0)));
        ledgers.put("share-ids", shared());
        ledgers.put("daemon", daemon());
        ledgers.put("every-field", Ledger.empty(BOOT).with(new ClaimEntry.Started(A1, one, everyField())));
        return ledgers;
    }

    static Ledger ledger(String name) {
        Ledger ledger = ledgers().get(name);
        if (ledger == null) {
            throw new IllegalArgumentException(name);
        }
        return ledger;
    }

    static byte[] golden(String name) throws IOException {
        return resource("golden/" + name + ".json");
    }

    static byte[] resource(String name) throws IOException {
        return Files.readAllBytes(Path.of("src/test/resources").resolve(name));
    }

    static Ledger oneClaim() {
        return ledger("subrequests");
    }

    static Ledger twoClaims() {
        var b2 = new ClaimUid("b2");
        var c3 = new ClaimUid("c3");
        return Ledger.empty(BOOT)
                .with(new ClaimEntry.Started(
                        c3, name("three"), new ClaimStatus(Optional.empty(), List.of(), List.of())))
                .with(completed(b2, name("two"), status("channel", 7, PARAMETERS, Optional.empty()), "channel", 7))
                .with(completed(A1, name("one"), status("channel", 0, PARAMETERS, Optional.empty()), "channel", 0));
    }

    private static Ledger shared() {
        ClaimEntry.Completed entry =
                completed(A1, name("one"), status("channel", 0, PARAMETERS, Optional.of(SHARE)), "channel", 0);
        PreparedDevice.ReturnedDevice handed = entry.devices().getFirst().returned();
        var device = new PreparedDevice.Channel(
                new ChannelId(0),
                new PreparedDevice.ReturnedDevice(
                        handed.requests(), handed.pool(), handed.device(), handed.cdiDeviceIds(), Optional.of(SHARE)));
        return Ledger.empty(BOOT)
                .with(new ClaimEntry.Completed(
                        A1, entry.name(), entry.status(), List.of(new PreparedGroup(List.of(device), "channel", "d"))));
    }

    private static Ledger daemon() {
        var parameters = new JsonText("{\"kind\":\"ComputeDomainDaemonConfig\",\"domainID\":\"d\"}");
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("daemon"),
                "node",
                "daemon-0",
                List.of("k8s.compute-domain.nvidia.com/claim=a1-daemon-0"),
                Optional.empty());
        return Ledger.empty(BOOT)
                .with(new ClaimEntry.Completed(
                        A1,
                        name("one"),
                        status(allocated("daemon", DRIVER, "node", "daemon-0"), parameters, "pod"),
                        List.of(new PreparedGroup(List.of(new PreparedDevice.Daemon(handed)), "daemon", "d"))));
    }

    private static ClaimStatus treacherous() {
        var parameters = new JsonText("{\"kind\":\"a\\u003cb\\u003ec\\u0026d\\u2028\\u2029\",\"z\":1.50e+3,"
                + "\"a\":[true,null,{}],\"\\u00e9\":\"\\/é\uD83D\uDE00\\ud83d\"}");
        String name = "p<&>\u2028\u2029\b\f\n\r\t\u0001\u001f\"\\\u007fé\uD83D\uDE00";
        return status(allocated("channel", DRIVER, "node", "channel-0"), parameters, name);
    }

    private static ClaimStatus status(String request, int channel, JsonText parameters, Optional<String> share) {
        var plain = allocated(request, DRIVER, "node", "channel-" + channel);
        var device = new AllocatedDevice(
                plain.request(),
                plain.driver(),
                plain.pool(),
                plain.device(),
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                share,
                Collections.emptySortedMap());
        return status(device, parameters, "pod");
    }

    private static ClaimStatus status(AllocatedDevice device, JsonText parameters, String pod) {
        var config = new DeviceConfig(
                DeviceConfig.Source.FROM_CLAIM,
                List.of(device.request()),
                Optional.of(new DeviceConfig.Opaque(DRIVER, parameters)));
        return new ClaimStatus(
                Optional.of(new Allocation(List.of(device), List.of(config), Optional.empty(), Optional.empty())),
                List.of(new ClaimStatus.ConsumerReference("", "pods", pod, "pod-uid")),
                List.of());
    }

    private static ClaimEntry.Completed completed(
            ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, String request, int channel) {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of(request),
                "node",
                "channel-" + channel,
                List.of("k8s.compute-domain.nvidia.com/claim=" + uid + "-channel-" + channel),
                Optional.empty());
        var device = new PreparedDevice.Channel(new ChannelId(channel), handed);
        return new ClaimEntry.Completed(uid, name, status, List.of(new PreparedGroup(List.of(device), "channel", "d")));
    }

    static ClaimStatus everyField() {
        SortedMap<String, String> capacity = new TreeMap<>(Map.of("memory", "2Gi", "cores", "1"));
        var device = new AllocatedDevice(
                "r",
                "d",
                "p",
                "v",
                Optional.of(false),
                List.of(
                        new JsonText("{\"key\":\"k\",\"operator\":\"Equal\",\"value\":\"v\",\"effect\":\"NoSchedule\","
                                + "\"tolerationSeconds\":0}"),
                        new JsonText("{\"operator\":\"Exists\"}")),
                List.of("a"),
                List.of("b", "c"),
                Optional.of("s"),
                capacity);
        var config = List.of(
                new DeviceConfig(DeviceConfig.Source.FROM_CLASS, List.of(), Optional.empty()),
                new DeviceConfig(
                        DeviceConfig.Source.FROM_CLAIM,
                        List.of(),
                        Optional.of(new DeviceConfig.Opaque("x", new JsonText("null")))));
        var selector = new JsonText(
                "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\"}]},{}]}");
        return new ClaimStatus(
                Optional.of(new Allocation(List.of(device), config, Optional.of(selector), Optional.of(TIME))),
                List.of(new ClaimStatus.ConsumerReference("batch", "jobs", "j", "u")),
                List.of(reported(), bare()));
    }

    private static AllocatedDeviceStatus reported() {
        return new AllocatedDeviceStatus(
                "d",
                new JsonText("{\"driver\":\"d\",\"pool\":\"p\",\"device\":\"v\",\"shareID\":\"s\",\"conditions\":["
                        + "{\"type\":\"Ready\",\"status\":\"True\",\"observedGeneration\":3,\"lastTransitionTime\":\""
                        + TIME
                        + "\",\"reason\":\"R\",\"message\":\"m\"},"
                        + "{\"type\":\"T\",\"status\":\"False\",\"lastTransitionTime\":null,\"reason\":\"\","
                        + "\"message\":\"\"}],\"data\":{\"b\":1,\"a\":2},\"networkData\":{\"interfaceName\":\"eth0\","
                        + "\"ips\":[\"10.0.0.1/24\"],\"hardwareAddress\":\"00:11\"}}"));
    }

    private static AllocatedDeviceStatus bare() {
        return new AllocatedDeviceStatus(
                "d", new JsonText("{\"driver\":\"d\",\"pool\":\"p\",\"device\":\"w\",\"networkData\":{}}"));
    }

    static Optional<ClaimName> name(String name) {
        return Optional.of(new ClaimName("ns", name));
    }

    /** A document whose checksums fit whatever the claims of its V2 part. */
    static String summed(String claims) {
        UnaryOperator<String> v2 = checksum -> "{\"checksum\":" + checksum + ",\"preparedClaims\":" + claims + "}";
        UnaryOperator<String> outer = checksum -> "{\"checksum\":" + checksum + ",\"v1\":{}}";
        String document = outer.apply(hash(outer.apply("0")));
        return document.substring(0, document.length() - 1) + ",\"v2\":" + v2.apply(hash(v2.apply("0"))) + "}";
    }

    private static String hash(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return Long.toString(new DeepHash().update(bytes, 0, bytes.length).value());
    }

    /** The status as one JSON object, compact. */
    static String json(ClaimStatus status) {
        var json = new GoJson();
        json.object(status, ClaimStatusJson::write);
        return json.toString();
    }

    /** A device as clusters without the newer features allocate it. */
    static AllocatedDevice allocated(String request, String driver, String pool, String device) {
        return new AllocatedDevice(
                request,
                driver,
                pool,
                device,
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                new TreeMap<>());
    }
}
