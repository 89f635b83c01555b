/** PowerShell's aliases, in lower case, and the commands they stand for. */
const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  `ac add-content|cat get-content|cd set-location|chdir set-location|clc clear-content|clear clear-host|cls clear-host
  clp clear-itemproperty|copy copy-item|cp copy-item|cpi copy-item|cpp copy-itemproperty|curl invoke-webrequest
  del remove-item|dir get-childitem|echo write-output|epcsv export-csv|epal export-alias|erase remove-item
  fl format-list|foreach foreach-object|% foreach-object|ft format-table|gal get-alias|gc get-content
  gci get-childitem|gcm get-command|gi get-item|gl get-location|gp get-itemproperty|gps get-process
  group group-object|gsv get-service|icm invoke-command|iex invoke-expression|ihy invoke-history|ii invoke-item
  ipmo import-module|irm invoke-restmethod|iwmi invoke-wmimethod|iwr invoke-webrequest|kill stop-process
  ls get-childitem|measure measure-object|mi move-item|mkdir new-item|md new-item|move move-item|mv move-item
  nal new-alias|ni new-item|nsn new-pssession|nv new-variable|oh out-host|popd pop-location|ps get-process
  pushd push-location|pwd get-location|r invoke-history|rd remove-item|ren rename-item|ri remove-item
  rm remove-item|rmdir remove-item|rni rename-item|rp remove-itemproperty|rv remove-variable|sajb start-job
  sal set-alias|saps start-process|sasv start-service|sbp set-psbreakpoint|sc set-content|select select-object
  set set-variable|si set-item|sl set-location|sleep start-sleep|sls select-string|sort sort-object
  sp set-itemproperty|spps stop-process|spsv stop-service|start start-process|sv set-variable|tee tee-object
  type get-content|fhx format-hex|ipcsv import-csv|tnc test-netconnection|cvpa convert-path|rvpa resolve-path
  ipal import-alias|etsn enter-pssession|compare compare-object|swmi set-wmiinstance|trcm trace-command
  wget invoke-webrequest|where where-object|? where-object|wjb wait-job|write write-output`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(' ')),
);

/** Commands that run their input or change what later commands do; they always ask. */
export const CHANGING_COMMANDS: ReadonlySet<string> = new Set(
  `invoke-expression invoke-command start-process start-job start-threadjob invoke-item invoke-history invoke-wmimethod
  invoke-cimmethod add-type import-module new-module new-object set-alias new-alias import-alias set-variable new-variable
  set-item new-item set-itemproperty register-objectevent register-engineevent register-scheduledtask
  set-executionpolicy set-psbreakpoint enter-pssession new-pssession new-pssessionconfigurationfile install-module
  install-package install-script update-module foreach-object where-object powershell pwsh cmd wsl rundll32 regsvr32
  mshta wscript cscript msiexec schtasks wmic certutil bitsadmin reg sc.exe start-service set-service new-service
  using trace-command set-wmiinstance . &`.split(/\s+/),
);

/** Commands that change the session's folder. */
export const MOVERS: ReadonlySet<string> = new Set([
  'set-location',
  'push-location',
  'pop-location',
]);

/** The command that a name, a path or an alias stands for, in lower case. */
export function toCanonical(written: string): string {
  const name = written
    .toLowerCase()
    .replace(/^.*[\\/]/, '')
    .replace(/\.exe$/, '');
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/** All names of the same command, in lower case. */
export function getSynonyms(name: string): readonly string[] {
  const canonical = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  const others = Object.keys(ALIASES).filter((alias) => ALIASES[alias] === canonical);
  return [canonical, ...others];
}
