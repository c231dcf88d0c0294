// Apart from the other examples, whose tests replace the global `fetch`.
import '../../examples/guides/msw.test.js';
