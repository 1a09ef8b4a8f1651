package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class NotifySocketTest {

    private static final byte[] FAMILY =
            ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? new byte[] {1, 0} : new byte[] {0, 1};

    @Test
    void aPathEndsWithAZero() {
        assertThat(NotifySocket.parse("/a").sockaddr()).containsExactly(FAMILY[0], FAMILY[1], '/', 'a', 0);
    }

    @Test
    void anAbstractNameBeginsWithAZeroAndEndsWithItsLastByte() {
        assertThat(NotifySocket.parse("@ab").sockaddr()).containsExactly(FAMILY[0], FAMILY[1], 0, 'a', 'b');
    }

    @Test
    void takesTheLongestAddressAndNoLongerOne() {
        String longest = "/" + "a".repeat(106);

        assertThat(NotifySocket.parse(longest).sockaddr()).hasSize(2 + 108);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> NotifySocket.parse(longest + "a"))
                .withMessageContaining("107 bytes");
    }

    @Test
    void refusesWhatIsNoAddress() {
        assertThatIllegalArgumentException().isThrownBy(() -> NotifySocket.parse("relative"));
        assertThatIllegalArgumentException().isThrownBy(() -> NotifySocket.parse("vsock-stream:2:1"));
    }
}
