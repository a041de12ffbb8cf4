const TABLE_NAME = /\.(?:csv|tsv|tab)$/i;

/** True when a file's name is that of a table: other files are no glossaries, whatever they hold. */
export const isGlossaryFile = (name: string): boolean => TABLE_NAME.test(name);
