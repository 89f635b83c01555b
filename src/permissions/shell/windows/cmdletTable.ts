/**
 * How a cmdlet uses a value. `spelled`: it is written, and an allow must contain it literally
 * (corpus C8). `arrives`: it is written, and may be a folder that gets what another one holds.
 */
export type Use = 'read' | 'write' | 'spelled' | 'copy' | 'arrives' | 'host' | 'text';

/** A positional parameter. */
export interface Position {
  readonly name: string;
  readonly use: Use;
}

/** The known arguments of a cmdlet. */
export interface Cmdlet {
  readonly positions: readonly Position[];
  /** It uses files from the pipeline: `Get-ChildItem | Get-Content`. */
  readonly piped?: 'files' | 'names';
  /** It only lists the names below a folder. */
  readonly lists: boolean;
}

/**
 * Cmdlets with their positional parameters, as `name` `use`. After them, `<files` takes files from
 * the pipeline by their path, and `<names` takes texts as paths, too.
 */
const ROWS = `
get-content path read <files
select-string pattern text path read <files
import-csv path read <names
import-clixml path read <names
import-powershelldatafile path read <names
get-item path read <names
get-childitem path read filter text <names
get-filehash path read <names
format-hex path read <files
get-itemproperty path read name text <names
get-acl path read <names
test-path path read <names
resolve-path path read <names
convert-path path read <names
invoke-item path read <names
set-acl path write acl text <files
clear-content path write <files
clear-item path write <names
remove-item path write <names
set-content path spelled value text <files
add-content path spelled value text <files
out-file filepath spelled encoding text
tee-object filepath spelled
export-csv path spelled delimiter text
export-clixml path spelled
export-alias path spelled name text
start-transcript path spelled
new-item path write name write value text
new-link path write name write value copy target copy
copy-item path read destination arrives <names
move-item path copy destination arrives <names
rename-item path copy newname arrives <names
set-itemproperty path write name text value text <names
set-item path write value text <names
unblock-file path write <names
compress-archive path read destinationpath spelled <names
expand-archive path read destinationpath arrives <names
invoke-webrequest uri host
invoke-restmethod uri host
start-bitstransfer source host destination spelled
test-connection targetname host
test-netconnection computername host
resolve-dnsname name host
enter-pssession computername host
send-mailmessage to text subject text body text smtpserver host
join-path path text childpath text
split-path path text
write-output inputobject text
write-host object text
write-verbose message text
sort-object property text
select-object property text
measure-object property text
group-object property text
format-table property text
format-list property text
get-process name text
get-service name text
get-command name text
get-alias name text
get-help name text
get-member name text
get-date date text
start-sleep seconds text
`;

const LISTS: ReadonlySet<string> = new Set([
  'get-childitem',
  'get-item',
  'test-path',
  'resolve-path',
]);

export const CMDLETS: ReadonlyMap<string, Cmdlet> = new Map(
  ROWS.trim()
    .split('\n')
    .map((row) => {
      const [name = '', ...words] = row.split(' ');
      const piped = words.find((word) => word.startsWith('<'))?.slice(1);
      const plain = words.filter((word) => !word.startsWith('<'));
      const positions = plain.flatMap((word, index): Position[] =>
        index % 2 === 0 ? [{ name: word, use: plain[index + 1] as Use }] : [],
      );
      const lists = LISTS.has(name);
      return [name, { positions, lists, ...(piped && { piped: piped as 'files' | 'names' }) }];
    }),
);

/** Cmdlets that output file objects. */
export const EMITTERS: ReadonlySet<string> = new Set(['get-childitem', 'get-item', 'resolve-path']);

/**
 * Named parameters of any cmdlet with a file or a host as their value. `path`: used as the cmdlet
 * uses its own path.
 */
export const NAMED: Readonly<Record<string, Use | 'path'>> = {
  path: 'path',
  literalpath: 'path',
  pspath: 'path',
  lp: 'path',
  filepath: 'path',
  destination: 'arrives',
  destinationpath: 'arrives',
  newname: 'arrives',
  outfile: 'spelled',
  infile: 'read',
  attachments: 'read',
  uri: 'host',
  proxy: 'host',
  source: 'host',
  computername: 'host',
  cn: 'host',
  hostname: 'host',
  smtpserver: 'host',
  connectionuri: 'host',
};

/** Named parameters whose value is neither a file nor a host. */
export const TEXTS: ReadonlySet<string> = new Set(
  `pattern value inputobject filter include exclude encoding algorithm itemtype type totalcount first last tail head
  readcount delimiter stream credential method body headers contenttype useragent timeoutsec width depth property
  expandproperty context count offset compressionlevel erroraction ea warningaction wa errorvariable ev outvariable ov
  outbuffer pipelinevariable pv propertytype sessionvariable websession maximumredirection culture subject to from
  acl`.split(/\s+/),
);

/** Parameters without a value. */
export const SWITCHES: ReadonlySet<string> = new Set(
  `force recurse append noclobber passthru raw wait nonewline confirm whatif verbose debug container casesensitive
  simplematch quiet list notmatch allmatches hidden file directory readonly system leaf update usebasicparsing
  usedefaultcredentials skipcertificatecheck asbytestream asplaintext notypeinformation nooverwrite useculture`.split(
    /\s+/,
  ),
);
