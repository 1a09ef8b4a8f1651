package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class KnownTest {

    private final List<String> changes = new ArrayList<>();
    private final ObjectCache<ObjectRef> known = new ObjectCache<>(
            new Object(),
            Function.identity(),
            (before, now) -> changes.add(before.map(ObjectRef::version).orElse("-") + ">"
                    + now.map(ObjectRef::version).orElse("-")));

    private static ObjectRef object(String uid, int version) {
        return new ObjectRef(uid, "team", "name", Integer.toString(version));
    }

    @Test
    void anAnswerThatIsAheadOfTheWatchStays() {
        known.put(object("a", 5));
        known.put(object("a", 3));
        known.put(object("a", 5));

        assertThat(known.get("a").map(ObjectRef::version)).contains("5");
        assertThat(changes).containsExactly("->5");
    }

    @Test
    void whatIsGoneDoesNotComeBackByWhatIsToldLate() {
        known.put(object("a", 5));
        known.gone("a");
        known.put(object("a", 6));

        assertThat(known.get("a")).isEmpty();
        assertThat(changes).containsExactly("->5", "5>-");
    }

    @Test
    void aListTakesAwayWhatItMissesUnlessThatIsYounger() {
        known.put(object("old", 5));
        known.put(object("young", 9));

        known.all(List.of(object("listed", 6)), "7");

        assertThat(known.all()).extracting(ObjectRef::uid).containsExactlyInAnyOrder("young", "listed");
        assertThat(known.listed()).isTrue();
    }

    @Test
    void whatAListMissedDoesNotComeBackByAnAnswerThatIsLate() {
        known.put(object("a", 5));
        known.all(List.of(), "7");
        known.put(object("a", 6));

        assertThat(known.get("a")).isEmpty();
        assertThat(changes).containsExactly("->5", "5>-");
    }

    @Test
    void whereVersionsAreNoNumbersAListDoesNotSayForEverThatAnObjectIsGone() {
        known.put(new ObjectRef("a", "team", "name", "x"));
        known.all(List.of(), "b");
        known.put(new ObjectRef("a", "team", "name", "y"));

        assertThat(known.get("a").map(ObjectRef::version)).contains("y");
    }

    @Test
    void versionsThatAreNoNumbersCountAsNews() {
        known.put(new ObjectRef("a", "team", "name", "x"));
        known.put(new ObjectRef("a", "team", "name", "b"));

        assertThat(known.get("a").map(ObjectRef::version)).contains("b");
    }

    @Test
    void anObjectThatLostTheLabelThatItIsWatchedByComesBackInANewerState() {
        known.put(object("a", 5));
        known.apply(new WatchUpdate.ObjectDeleted<>("a", "6"));
        known.put(object("a", 6));
        assertThat(known.get("a")).isEmpty();

        known.put(object("a", 7));
        assertThat(known.get("a").map(ObjectRef::version)).contains("7");
        known.apply(new WatchUpdate.ObjectDeleted<>("a", "6"));
        assertThat(known.get("a")).as("told late").isPresent();
        known.apply(new WatchUpdate.ObjectDeleted<>("a", "8"));
        assertThat(known.get("a")).isEmpty();
    }
}
