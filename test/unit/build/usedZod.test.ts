import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useNamespace } from '../../../build/usedZod.mjs';

test('zod is imported as a namespace, whatever name it gets', () => {
  const source = [
    'import { z } from "zod/v4";',
    "import { z as z2 } from 'zod';",
    'import { z, ZodType } from "zod";',
    'import * as z from "zod/v4";',
    'import { z } from "zod/v3";',
  ];
  assert.deepEqual(useNamespace(source.join('\n')).split('\n'), [
    'import * as z from "zod/v4";',
    "import * as z2 from 'zod';",
    ...source.slice(2),
  ]);
});
