/**
 * How much a seeded test tries: the first number in `npm test`, the second in `npm run test:long`
 * (`TEST_SIZE=long`).
 */
export function sizeOf(usual: number, long: number): number {
  return isLong() ? long : usual;
}

export function isLong(): boolean {
  return process.env['TEST_SIZE'] === 'long';
}
