/**
 * The built-in file types of ripgrep (`rg --type-list`), with the globs that a hidden name may match:
 * a word without a star or a dot in front is an extension. Lines that begin with blanks continue the
 * type before.
 */
const TYPES = `
ada adb ads
agda agda lagda
aidl aidl
alire/dockercompose/kconfig/meson/mk/pants
amake bp mk
asciidoc adoc asc asciidoc
asm S asm s
asp ascx ascx.cs ascx.vb asp aspx aspx.cs aspx.vb
ats ats dats hats sats
avro avdl avpr avsc
awk awk
bat/batch bat
bazel BUILD bazel bazelrc bzl
bitbake bb bbappend bbclass conf inc
boxlang bx bxm bxs
brotli br
buildstream bst
bzip2 bz2 tbz2
c *.* *.*.in cats
cabal cabal
candid did
carp carp
cbor cbor
ceylon ceylon
cfml cfc cfm
clojure clj cljc cljs cljx
cmake cmake
cmd bat cmd
cml cml
coffeescript coffee
config cfg conf config ini
coq v
cpp *.* *.*.in *.*pp *.*pp.in *.*xx *.*xx.in cc cc.in hh hh.in inl
creole creole
crystal cr ecr
cs/csharp cs
cshtml cshtml
csproj csproj
css css scss
csv csv
cuda cu cuh
cython pxd pxi pyx
d d
dart dart
devicetree dts dtsi dtso
dhall dhall
diff diff patch
dita dita ditamap ditaval
docker *Dockerfile*
dts dts dtsi
dvc dvc
ebuild ebuild eclass
edn edn
elisp el
elixir eex ex exs heex leex livemd
elm elm
erb erb
erlang erl hrl
fennel fnl
fidl fidl
fish fish
flatbuffers fbs
fortran F F77 F90 F95 f f77 f90 f95 pfo
fsharp fs fsi fsx
fut fut
gap g gap gd gi tst
gdscript gd
gleam gleam
gn gn gni
go go
gprbuild gpr
gradle gradle gradle.kts
graphql graphql graphqls
groovy gradle groovy
gzip gz tgz
h h hh hpp
haml haml
hare ha
haskell c2hs cpphs hs hsc lhs
hbs hbs
hs hs lhs
html ejs htm html
hy hy
idris idr lidr
janet janet
java java jsp jspx properties
jinja j2 jinja jinja2
jl/julia jl
js cjs js jsx mjs vue
json json sarif
jsonl jsonl
jupyter ipynb jpynb
k k
kotlin kt kts
lean lean
less less
license **LICEN*E*
lilypond ily ly
lisp el jl lisp lsp sc scm
llvm ll
lock lock
log log
lua lua
lz4 lz4
lzma lzma
m4 ac m4
make mak mk
mako mako mao
man *.** *.*
markdown/md markdown md mdown mdwn mdx mkd mkdn
matlab m
minified min.css min.html min.js
mint mint
ml ml
motoko mo
msbuild csproj fsproj proj props sln slnf targets vcxproj
nim nim nimble nimf nims
nix nix
objc h m
objcpp h mm
ocaml ml mli mll mly
org org org_archive
pascal dpr inc lpr pas pp
pdf pdf
perl PL perl pl plh plx pm t
php php php3 php4 php5 php7 php8 pht phtml
po po
pod pod
postscript eps ps
prolog P pl pro prolog
protobuf proto
ps cdxml ps1 ps1xml psd1 psm1
puppet epp erb pp rb
purs purs
py/python py pyi
qmake prf pri pro
qml qml
qrc qrc
qui ui
r R Rmd Rnw r rmd rnw
racket rkt
raku p6 pl6 pm6 raku rakudoc rakumod rakutest
rdoc rdoc
readme *README
reasonml re rei
red r red reds
rescript res resi
robot robot
rst rst
ruby gemspec rake rb rbw .irbrc
rust rs
sass sass scss
scala sbt scala
scdoc scd scdoc
seed7 s7i sd7
sh bash bashrc csh cshrc env ksh kshrc sh tcsh zsh .bash_login .bash_logout .bash_profile
  .bashrc .cshrc .env .kshrc .login .logout .profile .tcshrc .zlogin .zlogout .zprofile .zshenv
  .zshrc
slim skim slim slime
smarty tpl
sml sig sml
solidity sol
soy soy
spark spark
spec spec
sql psql sql
stylus styl
sv h sv svh v vg
svelte svelte svelte.ts
svg svg
swift swift
swig def i
systemd automount conf device link mount path scope service slice socket swap target timer
taskpaper taskpaper
tcl tcl
tex bib cls dtx ins ltx sty tex
texinfo texi
textile textile
tf terraform.lock.hcl terraformrc tf tf.json tfrc tfvars tfvars.json
thrift thrift
toml toml
ts/typescript cts mts ts tsx
twig twig
txt txt
typoscript ts typoscript
typst typ
usd usd usda usdc
v v vsh
vala vala
vb vb
vcl vcl
verilog sv svh v vh
vhdl vhd vhdl
vim/vimscript vim .gvimrc .vimrc
vue vue
webidl idl webidl widl
wgsl wgsl
wiki mediawiki wiki
xml dtd rng sch xhtml xjb xml xml.dist xsd xsl xslt
xz txz xz
yacc y
yaml yaml yml
yang yang
z Z
zig zig
zsh zsh .zlogin .zlogout .zprofile .zshenv .zshrc
zstd zst zstd
`;

const GLOBS: ReadonlyMap<string, string> = new Map(
  TYPES.trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [names = '', ...words] = line.split(/\s+/);
      const globs = words.map((word) => (/^[*.]/.test(word) ? word : `*.${word}`));
      return names.split('/').map((name) => [name, `{${globs.join()}}`] as const);
    }),
);

/**
 * A glob of the hidden names that `rg --type` searches, although it skips others. Undefined: none.
 * `*` for `all`, and for a type that isn't built in.
 */
export function toHiddenGlob(type: string): string | undefined {
  const glob = GLOBS.get(type);
  return glob === '{}' ? undefined : (glob ?? '*');
}
