package __package__;

import io.hirundo.DataException;
import io.hirundo.Reason;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** The bytes of a file as tokens: 256 token ids, no tokenizer. */
record __Name__Data(__Name__Options options) implements DataSource {
    @Override
    public SampleSet open(SampleRequest request) {
        Path file = Path.of(options.file());
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(file)) {
            // Memory-mapped: the file may be larger than memory, and several threads can read it.
            MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            return new __Name__Samples(file, arena, bytes, options.validation(), request);
        } catch (IOException e) {
            arena.close();
            throw new DataException(
                    "cannot read " + file + ": " + Reason.of(e) + "; name a file with data.source.options.file", e);
        } catch (DataException e) {
            arena.close();
            throw e;
        }
    }

    /** A sample depends on its index only, so this source can take over in the middle of a run. */
    @Override
    public SampleSet open(SampleRequest request, DataCursor from) {
        return open(request);
    }
}
