package io.imexagent.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void readsPkcs8(String algorithm) throws Exception {
        PrivateKey key = generate(algorithm);

        assertThat(Pem.privateKey(pem("PRIVATE KEY", key.getEncoded()))).contains(key);
    }

    @Test
    void readsTheSec1KeyThatTheKubeletWrites() throws Exception {
        var key = (ECPrivateKey) generate("EC");
        byte[] scalar = new byte[32];
        byte[] number = key.getS().toByteArray();
        int from = Math.max(0, number.length - 32);
        System.arraycopy(number, from, scalar, 32 - (number.length - from), number.length - from);
        byte[] sec1 = HexFormat.of()
                .parseHex("3031020101" + "0420" + HexFormat.of().formatHex(scalar) + "a00a06082a8648ce3d030107");

        assertThat(Pem.privateKey(pem("EC PRIVATE KEY", sec1)).orElseThrow())
                .isInstanceOfSatisfying(
                        ECPrivateKey.class, read -> assertThat(read.getS()).isEqualTo(key.getS()));
    }

    @Test
    void readsPkcs1() throws Exception {
        PrivateKey key = generate("RSA");
        byte[] pkcs8 = key.getEncoded();
        // SEQUENCE, version, AlgorithmIdentifier, OCTET STRING: 26 bytes for a key of 2048 bits.
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);

        assertThat(Pem.privateKey(pem("RSA PRIVATE KEY", pkcs1))).contains(key);
    }

    @Test
    void refusesAnEncryptedKey() {
        assertThatThrownBy(() -> Pem.privateKey(pem("ENCRYPTED PRIVATE KEY", new byte[8])))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("encrypted");
    }

    @Test
    void findsNoKeyInACertificateFile() throws AccessException {
        assertThat(Pem.privateKey(pem("CERTIFICATE", new byte[8]))).isEmpty();
    }

    @Property(tries = 300)
    void throwsNothingUnforeseenOnBrokenKeys(@ForAll byte[] der) throws AccessException {
        for (String label : new String[] {"PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "CERTIFICATE"}) {
            PemText pem = pem(label, der);
            try {
                Pem.privateKey(pem);
                Pem.certificates(pem);
            } catch (AccessException e) {
                assertThat(e).hasMessageStartingWith("key.pem");
            }
        }
    }

    private static PrivateKey generate(String algorithm) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (algorithm.equals("RSA")) {
            generator.initialize(2048);
        } else if (algorithm.equals("EC")) {
            generator.initialize(256);
        }
        return generator.generateKeyPair().getPrivate();
    }

    private static PemText pem(String label, byte[] der) {
        String base64 = Base64.getMimeEncoder().encodeToString(der);
        String text = "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n";
        return new PemText("key.pem", text);
    }
}
