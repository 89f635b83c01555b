/** A reporter that ends the process at the first failure: one is enough to kill a mutant. */
export default async function* bail(events) {
  for await (const { type } of events) {
    if (type === 'test:fail') process.exit(1);
    yield '';
  }
}
