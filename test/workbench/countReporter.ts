import { relative } from 'node:path';

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly error?: { readonly message?: string } };
  };
}

/** A reporter of `node --test` that writes a SuiteResult. A test that was skipped has failed. */
export default async function* countReporter(events: AsyncIterable<TestEvent>) {
  const failed: string[] = [];
  let passed = 0;
  for await (const { type, data } of events) {
    if (data.details?.type === 'suite' && type === 'test:pass') continue;
    const name = `${data.name} (${relative(process.cwd(), data.file ?? '')})`;
    if (type === 'test:fail') failed.push(name);
    if (type !== 'test:pass') continue;
    if (data.skip || data.todo) failed.push(`${name}: skipped`);
    else passed += 1;
  }
  yield JSON.stringify({ passed, failed });
}
