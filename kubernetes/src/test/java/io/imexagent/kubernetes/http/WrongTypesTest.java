package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.Decoding;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each field of each kind of object, with a value of each wrong type in its place. */
class WrongTypesTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final String METADATA = """
            "metadata":{"uid":"u","namespace":"team","name":"a","resourceVersion":"7","labels":{"k":"v"},
            "annotations":{"k":"v"},"finalizers":["f"],"deletionTimestamp":"2026-11-21T10:00:00Z",
            "ownerReferences":[{"kind":"Node","uid":"node-uid","controller":true}]}""";

    private static final List<String> WRONG = List.of(
            "null",
            "5",
            "-1",
            "1.5",
            "99999999999999999999",
            "true",
            "\"\"",
            "\"text\"",
            "[]",
            "[null]",
            "[[]]",
            "{}",
            "{\"x\":{}}");

    static Stream<Arguments> kinds() {
        return Stream.of(
                Arguments.of("domain", HttpDomains.DOMAIN, """
                        {%s,"spec":{"channel":{"resourceClaimTemplate":{"name":"t"},"allocationMode":"Single"}},
                        "status":{"status":"Ready","conditions":[{"type":"Ready","status":"True","reason":"R","message":"m",
                        "observedGeneration":1,"lastTransitionTime":"2026-11-21T10:00:00Z"}]}}"""),
                Arguments.of("template", HttpTemplates.TEMPLATE, """
                        {%s,"spec":{"metadata":{"annotations":{"k":"v"}},"spec":{"devices":{"constraints":[],"config":[{"requests":["channel"],
                        "opaque":{"driver":"D","parameters":{"domainID":"d","apiVersion":"v","kind":"k",
                        "allocationMode":"Single"}}}],"requests":[{"name":"channel","exactly":{"deviceClassName":"c",
                        "allocationMode":"ExactCount","count":1,"adminAccess":false,"tolerations":[],"capacity":{},
                        "selectors":[]}}]}}}}"""),
                Arguments.of("lease", HttpLeases.LEASE, """
                        {%s,"spec":{"holderIdentity":"h","acquireTime":"2026-11-21T10:00:00Z",
                        "renewTime":"2026-11-21T10:00:00Z","leaseDurationSeconds":15,"leaseTransitions":1}}"""),
                Arguments.of("slice", HttpSlices.decoder(new NodeRef("n", "node-uid")), """
                        {%s,"spec":{"pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"d",
                        "allowMultipleAllocations":true,"attributes":{"t":{"string":"s"},"i":{"int":1},"b":{"bool":true},
                        "v":{"version":"1.0.0"}},"taints":[{"key":"k","value":"v","effect":"NoSchedule"}]}]}}"""),
                Arguments.of("own claim", HttpKubernetesApi.claim(new ClaimName("team", "a")), """
                        {%s,"status":{"allocation":{}}}"""),
                Arguments.of("node", HttpKubernetesApi.NODE, """
                        {%s,"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.7"}],"nodeInfo":
                        {"kubeletVersion":"v1.37.0","containerRuntimeVersion":"containerd://2.1.9"},
                        "runtimeHandlers":[{"name":"runc","features":{"userNamespaces":true}}]}}"""),
                Arguments.of("readiness of a node", HttpFabric.readiness(Optional.of("example.com/rack")), """
                        {%s,"status":{"conditions":[{"type":"Ready","status":"True"}]}}"""),
                Arguments.of("pod", HttpKubernetesApi.POD, """
                        {%s,"spec":{"hostNetwork":true,"hostUsers":false,"schedulingGroup":{"podGroupName":"g"},
                        "resourceClaims":[{"name":"c","resourceClaimName":"o"}],
                        "containers":[{"resources":{"claims":[{"name":"c"}]}}],"initContainers":[]},
                        "status":{"resourceClaimStatuses":[{"name":"c","resourceClaimName":"o"}]}}"""),
                Arguments.of("NVLinkNode", HttpFabric.NODE, """
                        {%s,"spec":{"session":"s","write":3,"cliques":["c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766"],
                        "bootID":"4c2c1e09-0ae0-43d8-8f6b-2ff479a0df51","imexChannelCount":2048,
                        "holds":[{"computeDomain":"u","namespace":"team","name":"a","channel":1,"kept":true}]},
                        "status":{"mode":"Serving","isolation":"IMEXChannel","gpus":4,"driver":"580.95.05","imex":"up",
                        "clique":"c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766","imexSince":"2026-11-21T10:00:00Z",
                        "imexStart":71000001,"peers":"1/1","node":"Missing","nodeSince":"2026-11-21T10:00:00Z",
                        "agent":{"version":"0.3.0","gpus":4,"product":"NVIDIA GB200","findings":"critical:gpu-lost",
                        "xidsSince":"2026-11-21T10:00:00Z","xids":"1,79,2,2026-11-21T10:00:00Z"},
                        "nodesFile":{"digest":"0123456789abcdef0123456789abcdef","count":2,"own":1,"changed":true,
                        "lines":"192.0.2.7 n","addresses":"192.0.2.9"},"connections":{"address":"192.0.2.7","connected":"192.0.2.8","degraded":"","lost":""}}}"""),
                Arguments.of("NVLinkClique", HttpFabric.CLIQUE, """
                        {%s,"spec":{"limit":2048,"limitedBy":"n","channels":[{"id":1,"computeDomain":"u","namespace":"team",
                        "name":"a","by":"n","state":"Assigned"}]}}"""),
                Arguments.of("FabricTest", HttpFabricTests.TEST, """
                        {%s,"spec":{"proven":"1/2","runs":[{"id":"r","by":"alice","level":"map",
                        "started":"2026-11-21T10:00:00Z","ended":"2026-11-21T10:00:40Z","nodes":[{"name":"n","uid":"u",
                        "bootID":"4c2c1e09-0ae0-43d8-8f6b-2ff479a0df51","imexStart":7,"driver":"580.95.05","cells":"- +"}]}]}}"""),
                Arguments.of("status", new Decoder<>(StatusText.WANTED, StatusText::of), """
                        {%s,"kind":"Status","code":404,"message":"m","details":{"kind":"k","name":"n","retryAfterSeconds":3}}"""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kinds")
    void aWrongTypeIsAMissingFieldOrARefusal(String kind, Decoder<?> decoder, String format) throws IOException {
        String sound = sound(format);
        assertThatCode(() -> Decoding.of(decoder, sound)).doesNotThrowAnyException();
        int places = places(MAPPER.readTree(sound)).size();

        for (int place = 0; place < places; place++) {
            for (String wrong : WRONG) {
                JsonNode object = MAPPER.readTree(sound);
                places(object).get(place).accept(MAPPER.readTree(wrong));
                try {
                    assertThat(Decoding.of(decoder, object.toString())).isNotNull();
                } catch (IOException refused) {
                    assertThat(refused).isInstanceOf(UnreadableException.class);
                }
            }
        }
    }

    /** The object of a kind, by its format. */
    static String sound(String format) {
        return format.formatted(METADATA).replace("\"D\"", "\"" + DriverNames.DRIVER + "\"");
    }

    /** Every place in an object where another value can stand. */
    private static List<Consumer<JsonNode>> places(JsonNode node) {
        var places = new ArrayList<Consumer<JsonNode>>();
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                places.add(value -> object.set(field.getKey(), value));
                places.addAll(places(field.getValue()));
            });
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                int index = i;
                places.add(value -> array.set(index, value));
                places.addAll(places(array.get(i)));
            }
        }
        return places;
    }
}
