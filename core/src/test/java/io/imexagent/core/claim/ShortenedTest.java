package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ShortenedTest {

    @Test
    void whatFitsStaysAsItIs() {
        assertThat(Shortened.to(9, "GPU 3 off")).isEqualTo("GPU 3 off");
        assertThat(Shortened.to(9, "")).isEmpty();
    }

    @Test
    void whatDoesNotFitIsCutAtAWord() {
        assertThat(Shortened.to(20, "the fabric of GPU 3 is gone")).isEqualTo("the fabric of GPU…");
        assertThat(Shortened.to(20, "the fabric of GPUs is gone")).isEqualTo("the fabric of…");
    }

    @Test
    void aWordThatEndsWhereTheRoomDoesIsWhole() {
        assertThat(Shortened.to(16, "the fabric of GPU 3")).isEqualTo("the fabric of…");
    }

    @Test
    void aLongWordIsCutWithin() {
        assertThat(Shortened.to(12, "GPU 0123456789abcdef")).isEqualTo("GPU 01234…");
    }

    @Property
    void isNeverLongerAndNeverHalfACharacter(@ForAll String message, @ForAll @IntRange(min = 8, max = 40) int bytes) {
        String shortened = Shortened.to(bytes, message);

        byte[] utf8 = shortened.getBytes(StandardCharsets.UTF_8);
        assertThat(utf8.length).isLessThanOrEqualTo(Math.max(bytes, 0));
        String whole = new String(message.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        String stem = shortened.endsWith("…") ? shortened.substring(0, shortened.length() - 1) : shortened;
        assertThat(message.startsWith(stem) || whole.startsWith(stem)).isTrue();
    }
}
