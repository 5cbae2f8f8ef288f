package io.hirundo.stores3.internal;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/** A connection that fails where a test says so, and remembers what was asked. */
final class FaultyHttp implements SdkHttpClient {
    private static final Predicate<SdkHttpRequest> NEVER = request -> false;

    final List<SdkHttpRequest> requests = new CopyOnWriteArrayList<>();
    /** Those that never arrive. */
    Predicate<SdkHttpRequest> lost = NEVER;
    /** Those that the server has no time for. */
    Predicate<SdkHttpRequest> busy = NEVER;
    /** Those of which a bit is flipped on the way. */
    Predicate<SdkHttpRequest> flipped = NEVER;
    /** Those whose answer breaks off. */
    Predicate<SdkHttpRequest> brokenOff = NEVER;

    private final SdkHttpClient real;

    FaultyHttp(SdkHttpClient real) {
        this.real = real;
    }

    /** The number of the part that is sent, or 0. */
    static int part(SdkHttpRequest request) {
        List<String> number = request.rawQueryParameters().get("partNumber");
        return number == null ? 0 : Integer.parseInt(number.getFirst());
    }

    /** Parts that were sent. */
    List<Integer> parts() {
        return requests.stream()
                .map(FaultyHttp::part)
                .filter(part -> part > 0)
                .distinct()
                .sorted()
                .toList();
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        SdkHttpRequest http = request.httpRequest();
        requests.add(http);
        boolean flips = flipped.test(http);
        ExecutableHttpRequest prepared = real.prepareRequest(flips ? flip(request) : request);
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                if (lost.test(http)) {
                    throw new IOException("connection reset");
                }
                if (busy.test(http)) {
                    return slowDown();
                }
                HttpExecuteResponse response = prepared.call();
                return brokenOff.test(http) ? cut(response) : response;
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    private static HttpExecuteResponse slowDown() {
        return HttpExecuteResponse.builder()
                .response(SdkHttpResponse.builder()
                        .statusCode(503)
                        .statusText("Slow Down")
                        .build())
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(new byte[0])))
                .build();
    }

    private static HttpExecuteRequest flip(HttpExecuteRequest request) {
        ContentStreamProvider whole = request.contentStreamProvider().orElseThrow();
        return HttpExecuteRequest.builder()
                .request(request.httpRequest())
                .contentStreamProvider(() -> {
                    try (InputStream input = whole.newStream()) {
                        byte[] bytes = input.readAllBytes();
                        bytes[bytes.length / 2] ^= 4;
                        return new ByteArrayInputStream(bytes);
                    } catch (IOException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .build();
    }

    private static HttpExecuteResponse cut(HttpExecuteResponse response) {
        InputStream body = response.responseBody().orElseThrow();
        var cut = new FilterInputStream(body) {
            private int left = 1000;

            @Override
            public int read(byte[] into, int at, int length) throws IOException {
                if (left == 0) {
                    throw new IOException("connection reset");
                }
                int count = super.read(into, at, Math.min(left, length));
                left -= Math.max(0, count);
                return count;
            }
        };
        return HttpExecuteResponse.builder()
                .response(response.httpResponse())
                .responseBody(AbortableInputStream.create(cut))
                .build();
    }

    @Override
    public void close() {
        real.close();
    }
}
