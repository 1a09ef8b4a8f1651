package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.imex.fake.FakeChannelNodes;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserNamespaceCheckTest {

    private static final int MAJOR = 239;

    @TempDir
    Path folder;

    private FakeChannelNodes nodes = new FakeChannelNodes(Path.of("/"));

    @BeforeEach
    void aHostWithoutNodes() {
        nodes = new FakeChannelNodes(folder);
    }

    @Test
    void saysThatPodsWithUsersOfTheirOwnGetNothingWithoutANode() {
        assertThat(check().shared()).satisfies(result -> told(result, "get no channel here", "has no", "channel0"));
        assertThat(check().owned(4)).satisfies(result -> told(result, "get no channel here", "channels 1 to 3"));
    }

    @Test
    void saysWhatIsWrongWithANode() {
        nodes.make(0, MAJOR, 0600);
        assertThat(check().shared()).satisfies(result -> told(result, "get no channel here", "mode 0600"));

        nodes.make(0, MAJOR + 1, 0666);
        assertThat(check().shared()).satisfies(result -> told(result, "get no channel here", "is stale"));
    }

    @Test
    void saysWhoCanOpenAnOpenNode() {
        nodes.make(0, MAJOR, 0666).make(2, MAJOR, 0666);

        assertThat(check().shared()).satisfies(result -> told(result, "can open channel 0", "every user of this host"));
        assertThat(check().owned(4)).satisfies(result -> told(result, "can open 1 of channels 1 to 3"));

        nodes.make(1, MAJOR, 0666).make(3, MAJOR, 0666);
        assertThat(check().owned(4)).satisfies(result -> told(result, "can open every channel"));
    }

    private UserNamespaceCheck check() {
        return new UserNamespaceCheck(nodes.nodes(), new ChannelMajor.RegisteredMajor(MAJOR));
    }

    private static void told(CheckResult result, String... words) {
        assertThat(result.id()).isEqualTo("user-namespaces");
        assertThat(result.severity()).isEqualTo(Severity.OK);
        assertThat(result.message()).contains("hostUsers: false").contains(words);
    }
}
