/** Style sheets are bundled separately; the import has no exports. */
declare module '*.css';
