package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.kubernetes.http.CachedObjects.MemoryBudget;
import io.imexagent.kubernetes.json.UnreadableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RoomTest {

    private static final long PIECE = MemoryBudget.OF_NAMESPACES / 100;

    private final MemoryBudget room = new MemoryBudget();

    @Test
    void theSharesOfTheHeapAreThoseOfTheDecision() throws IOException {
        long heap = Runtime.getRuntime().maxMemory();

        assertThat(MemoryBudget.OF_NAMESPACES).isEqualTo(heap / 4);
        assertThat(MemoryBudget.OF_CLUSTER).isEqualTo(heap / 2);
        assertThat(Files.readString(Path.of("../docs/decisions/0057-reading-and-keeping-are-bounded.md")))
                .contains("a quarter of the heap for the objects of namespaces", "half for those of the cluster");
    }

    @Test
    void aNamespaceTakesNoMoreThanItLeavesFree() {
        assertThat(fill("greedy")).isEqualTo(50);
        assertThat(fill("second")).isEqualTo(25);
        assertThat(fill("third")).isEqualTo(12);
        assertThatCode(() -> room.take("honest", 0, PIECE)).doesNotThrowAnyException();
    }

    @Test
    void whatIsTheClustersMayTakeAllOfIt() {
        assertThat(fill("")).isEqualTo(200);
        assertThatThrownBy(() -> room.take("", 0, PIECE)).hasMessageStartingWith("no room: ");
    }

    @Test
    void whatIsGivenBackCanBeTakenAgain() throws UnreadableException {
        fill("greedy");
        room.put("greedy", -50 * PIECE);
        assertThat(room.isSpacious()).isTrue();

        assertThat(fill("greedy")).isEqualTo(50);
    }

    @Test
    void anObjectThatShrinksFindsItsPlaceInAFullRoom() throws UnreadableException {
        fill("greedy");

        room.take("greedy", PIECE, PIECE / 2);
        assertThatThrownBy(() -> room.take("greedy", PIECE / 2, 3 * PIECE)).hasMessageStartingWith("no room: ");
    }

    /** Takes pieces until there is no room for one more, and says how many. */
    private int fill(String namespace) {
        for (int pieces = 0; ; pieces++) {
            try {
                room.take(namespace, 0, PIECE);
            } catch (UnreadableException full) {
                return pieces;
            }
        }
    }
}
