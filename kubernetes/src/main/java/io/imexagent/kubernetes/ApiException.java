package io.imexagent.kubernetes;

/** A call to the API server that failed. Its message is the failure's. */
public class ApiException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient ApiFailure failure;

    public ApiException(ApiFailure failure) {
        super(failure.message());
        this.failure = failure;
    }

    public ApiException(ApiFailure failure, Throwable cause) {
        super(failure.message(), cause);
        this.failure = failure;
    }

    public ApiFailure failure() {
        return failure;
    }
}
