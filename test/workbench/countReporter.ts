import { basename, relative } from 'node:path';

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly duration_ms?: number };
  };
}

/** A reporter of `node --test` that writes a SuiteResult. A test that was skipped has failed. */
export default async function* countReporter(events: AsyncIterable<TestEvent>) {
  const failed: string[] = [];
  const seconds: Record<string, number> = {};
  let passed = 0;
  for await (const { type, data } of events) {
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    if (type === 'test:pass' || type === 'test:fail') {
      const file = basename(data.file ?? '');
      seconds[file] = (seconds[file] ?? 0) + (data.details?.duration_ms ?? 0) / 1000;
    }
    const name = `${data.name} (${relative(process.cwd(), data.file ?? '')})`;
    if (type === 'test:fail') failed.push(name);
    if (type !== 'test:pass') continue;
    if (data.skip || data.todo) failed.push(`${name}: skipped`);
    else passed += 1;
  }
  yield JSON.stringify({ passed, failed, seconds });
}
