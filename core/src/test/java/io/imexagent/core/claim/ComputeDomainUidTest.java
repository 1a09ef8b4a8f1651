package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ComputeDomainUidTest {

    @Test
    void isAnyTextButTheEmptyOne() {
        assertThat(new ComputeDomainUid("not a/UID")).hasToString("not a/UID");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ComputeDomainUid(""))
                .withMessageContaining("not empty");
    }
}
