import { statSync, writeFileSync } from 'node:fs';

/** Returns when a change gets another timestamp than one before: a few milliseconds at most. */
export function awaitTick(file: string): void {
  const touch = () => {
    writeFileSync(file, 'x');
    return statSync(file).ctimeMs;
  };
  const first = touch();
  while (touch() === first);
}
