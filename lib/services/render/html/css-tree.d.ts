// Parts of css-tree that work without its tables of every property, which take long to load.
declare module 'css-tree/tokenizer' {
  export { tokenize, tokenTypes } from 'css-tree';
}

declare module 'css-tree/utils' {
  export { ident, string, url } from 'css-tree';
}
