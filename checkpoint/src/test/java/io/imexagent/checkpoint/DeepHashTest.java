package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeepHashTest {

    @Test
    void hashesTheDecimalTextOfTheBytes() {
        var all = new byte[256];
        for (int value = 0; value < all.length; value++) {
            all[value] = (byte) value;
        }

        assertThat(new DeepHash().value()).isEqualTo(4046067964L);
        assertThat(new DeepHash().update("a").value()).isEqualTo(3964029032L);
        assertThat(new DeepHash()
                        .update("{\"checksum\":")
                        .update("0")
                        .update("}")
                        .value())
                .isEqualTo(4166374854L);
        assertThat(new DeepHash().update(all, 0, all.length).value()).isEqualTo(1016166788L);
    }
}
