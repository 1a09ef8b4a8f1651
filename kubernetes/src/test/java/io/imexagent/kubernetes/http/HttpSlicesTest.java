package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.ObservedSlice;
import io.imexagent.core.slice.PoolSlice;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.Slices.NodeRef;
import io.imexagent.kubernetes.json.Decoding;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HttpSlicesTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final NodeRef OWNER = new NodeRef("tb-node", "8941806a-7a59-4772-bfb4-0d5c3f66ae97");
    private static final PoolSlice CONTENT = new PoolSlice("tb-node", 1, 1, List.of(Device.channel(new ChannelId(0))));

    /** As a real server has it, with what it added. */
    private static final String STORED = """
            {"metadata":{"name":"00000-compute-domain.nvidia.com-tb-node-7cxl9",
            "generateName":"00000-compute-domain.nvidia.com-tb-node-","generation":1,"managedFields":[{"manager":"m"}],
            "ownerReferences":[{"apiVersion":"v1","controller":true,"kind":"Node","name":"tb-node",
            "uid":"8941806a-7a59-4772-bfb4-0d5c3f66ae97"}],"resourceVersion":"505","uid":"5125f043"},
            "spec":{"devices":[{"attributes":{"id":{"int":0},"type":{"string":"channel"}},"name":"channel-0",
            "futureField":{"a":1}}],"driver":"compute-domain.nvidia.com","nodeName":"tb-node",
            "pool":{"generation":1,"name":"tb-node","resourceSliceCount":1}}}""";

    @Test
    void readsASliceOfARealServerWithoutWhatTheServerAdded() throws IOException {
        assertThat(observed(STORED))
                .isEqualTo(new ObservedSlice("00000-compute-domain.nvidia.com-tb-node-7cxl9", "505", true, CONTENT));
    }

    @Test
    void writesWhatItReads() throws IOException {
        var attributes = new TreeMap<String, Device.DeviceAttribute>(Map.of(
                "text", new Device.DeviceAttribute.StringAttribute("a"),
                "whole", new Device.DeviceAttribute.IntAttribute(Long.MAX_VALUE),
                "flag", new Device.DeviceAttribute.BoolAttribute(true),
                "version", new Device.DeviceAttribute.VersionAttribute("1.2.3")));
        var content =
                new PoolSlice("pool", 7, 2, List.of(new Device("d", attributes), new Device("e", new TreeMap<>())));
        var before = new ObservedSlice("name", "12", true, content);

        assertThat(observed(JsonTrees.text(HttpSlices.replaced("driver", OWNER, before, content))))
                .isEqualTo(before);
    }

    @Test
    void writesTheTaintsThatItReads() throws IOException {
        var taints = List.of(
                new Device.DeviceTaint("example.com/broken", "", Device.DeviceTaint.TaintEffect.NO_SCHEDULE),
                new Device.DeviceTaint("example.com/lost", "why", Device.DeviceTaint.TaintEffect.NO_EXECUTE));
        var content = new PoolSlice("pool", 7, 2, List.of(new Device("d", new TreeMap<>(), taints, false)));
        String json = JsonTrees.text(HttpSlices.created("driver", OWNER, content, 0));

        assertThat(MAPPER.readTree(json).at("/spec/devices/0/taints")).isEqualTo(MAPPER.readTree("""
                        [{"key":"example.com/broken","effect":"NoSchedule"},
                        {"key":"example.com/lost","value":"why","effect":"NoExecute"}]"""));
        assertThat(observed(JsonTrees.text(HttpSlices.replaced(
                                        "driver", OWNER, new ObservedSlice("n", "1", true, content), content))
                                .replace("\"effect\":", "\"timeAdded\":\"2026-11-21T10:00:00Z\",\"effect\":"))
                        .content())
                .isEqualTo(content);
    }

    @Test
    void writesWhetherSeveralClaimsMayHoldADeviceOnlyWhereTheyMay() throws IOException {
        var content = new PoolSlice(
                "pool", 7, 2, List.of(new Device("d", new TreeMap<>()).shared(true), new Device("e", new TreeMap<>())));
        String json = JsonTrees.text(HttpSlices.created("driver", OWNER, content, 0));

        assertThat(MAPPER.readTree(json).at("/spec/devices/0/allowMultipleAllocations"))
                .isEqualTo(BooleanNode.TRUE);
        assertThat(MAPPER.readTree(json).at("/spec/devices/1").has("allowMultipleAllocations"))
                .isFalse();
        var before = new ObservedSlice("n", "1", true, content);
        assertThat(observed(JsonTrees.text(HttpSlices.replaced("driver", OWNER, before, content))))
                .isEqualTo(before);
    }

    @Test
    void showsATaintOfUnknownEffectAsAChange() throws IOException {
        var content = new PoolSlice(
                "tb-node",
                1,
                1,
                List.of(new Device(
                        "d",
                        new TreeMap<>(),
                        List.of(new Device.DeviceTaint("example.com/a", "", Device.DeviceTaint.TaintEffect.NONE)),
                        false)));
        String json = JsonTrees.text(
                HttpSlices.replaced("driver", OWNER, new ObservedSlice("n", "1", true, content), content));

        assertThat(observed(json).content()).isEqualTo(content);
        assertThat(observed(json.replace("\"None\"", "\"Later\"")).content()).isNotEqualTo(content);
    }

    @Test
    void asksForANameThatBeginsWithTheSlicesPosition() throws IOException {
        assertThat(MAPPER.readTree(
                                JsonTrees.text(HttpSlices.created("compute-domain.nvidia.com", OWNER, CONTENT, 0x1f)))
                        .at("/metadata"))
                .isEqualTo(MAPPER.readTree("""
                        {"generateName":"0001f-compute-domain.nvidia.com-tb-node-","ownerReferences":[{"apiVersion":"v1",
                        "kind":"Node","name":"tb-node","uid":"8941806a-7a59-4772-bfb4-0d5c3f66ae97","controller":true}]}"""));
    }

    @Test
    void tellsASliceOfANodeThatWasMadeAnewFromItsOwn() throws IOException {
        assertThat(observed(STORED.replace("8941806a", "00000000")).ownedByNode())
                .isFalse();
    }

    @Test
    void showsAnAttributeOfUnknownKindAsAChange() throws IOException {
        assertThat(observed(STORED.replace("{\"int\":0}", "{\"ints\":[0]}")).content())
                .isNotEqualTo(CONTENT);
    }

    @Test
    void refusesAnObjectThatIsNoSlice() {
        assertThatThrownBy(() -> observed("{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}"))
                .isInstanceOf(IOException.class);
    }

    private static ObservedSlice observed(String json) throws IOException {
        return Decoding.of(HttpSlices.decoder(OWNER), json);
    }
}
