package __package__;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.DataException;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.testkit.DataContract;
import io.hirundo.testkit.HirundoContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a data source, one test per clause; and tests of this source. */
@HirundoContract
class __Name__DataTest implements DataContract {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("text.txt"), "No man is an island, entire of itself. ".repeat(20));
    }

    @Override
    public DataSource source() {
        return new __Name__Factory().create(new __Name__Options(file.toString(), 0.1));
    }

    @Test
    void aSampleIsAPieceOfTheFile() throws IOException {
        try (SampleSet samples = source().open(new SampleRequest(1, 8, 10, 2))) {
            int[] sample = new int[9];
            samples.read(SampleSet.Split.TRAINING, 3, sample);
            String text = new String(sample, 0, sample.length);
            assertTrue(Files.readString(file).contains(text), text);
        }
    }

    @Test
    void aFileThatIsMissingOrTooShortIsNamed() {
        DataSource missing = new __Name__Factory()
                .create(new __Name__Options(folder.resolve("none").toString(), 0));
        for (DataSource source : new DataSource[] {missing, source()}) {
            var failure = assertThrows(DataException.class, () -> source.open(new SampleRequest(1, 5000, 1, 0)));
            assertTrue(failure.getMessage().contains(folder.toString()), failure.getMessage());
        }
    }
}
