import type { ShellAnalysis } from './acts.ts';
import { analyseCmd } from './cmd.ts';
export async function analysePowerShell(
  line: string,
  cwd: string | undefined,
  platform: NodeJS.Platform,
): Promise<ShellAnalysis> {
  return analyseCmd(line, cwd, platform);
}
