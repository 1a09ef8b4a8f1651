package io.imexagent.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1"})
    void thisHost(String address) {
        assertThat(HttpSettings.isLoopback(address)).isTrue();
        assertThat(DocumentAccess.isLocal(SocketAddress.inetSocketAddress(4711, address)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.1",
                "128.0.0.1",
                "fd00::2",
                "fe80::1%nowhere",
                "::ffff:10.0.0.1",
                "::127.0.0.1",
                "::1:1",
                "localhost",
                "127.0.0.1.example.com",
                ""
            })
    void elsewhere(String address) {
        assertThat(HttpSettings.isLoopback(address)).isFalse();
    }

    @Test
    void aNameOrASocketOfAnotherKindIsNotThisHost() {
        assertThat(DocumentAccess.isLocal(SocketAddress.domainSocketAddress("/127.0.0.1")))
                .isFalse();
        assertThat(DocumentAccess.isLocal(SocketAddress.inetSocketAddress(4711, "localhost")))
                .isFalse();
    }
}
