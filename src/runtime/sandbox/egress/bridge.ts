/** Where the socket of the proxy is in the sandbox, and the port of its loopback that leads there. */
export const EGRESS_SOCKET = '/run/egress.sock';
const PORT = 3128;

/**
 * Listens in the sandbox and hands each connection to the proxy's socket, since tools know proxies only
 * by port. Perl is part of every Debian and nearly every other system. Prints `up` when it listens.
 */
export const BRIDGE = `use IO::Socket::INET; use IO::Socket::UNIX;
$SIG{CHLD}="IGNORE";
$l=IO::Socket::INET->new(LocalAddr=>"127.0.0.1",LocalPort=>${PORT},Listen=>64) or exit 1;
print "up\\n"; close STDOUT;
while(1){ $c=$l->accept or next; if(fork){ close $c; next }
$u=IO::Socket::UNIX->new("${EGRESS_SOCKET}") or exit 1;
if(fork){ pump($c,$u) } else { pump($u,$c) } exit }
sub pump{ my($a,$b)=@_; while(sysread($a,my $d,65536)){ my $o=0;
while($o<length $d){ my $n=syswrite($b,$d,length($d)-$o,$o); exit unless $n; $o+=$n } } shutdown($b,1) }`;

const PROXY = `http://127.0.0.1:${PORT}`;
const LOCAL = 'localhost,127.0.0.1,::1';

/** Tells tools about the proxy. */
export const PROXY_VARIABLES: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  NO_PROXY: LOCAL,
  no_proxy: LOCAL,
  npm_config_https_proxy: PROXY,
  npm_config_proxy: PROXY,
  NODE_USE_ENV_PROXY: '1',
};
