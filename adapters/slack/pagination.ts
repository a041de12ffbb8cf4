/** A page of a list, with what leads to the next one: "Pagination". */
interface Page {
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
}

/**
 * Reads a list page by page.
 *
 * @param read reads the page at the cursor; without one the first
 */
export const readCursorPages = async function* <One extends Page>(
  read: (at: { readonly cursor?: string }) => Promise<One>,
): AsyncGenerator<One, void, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield page;
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
};
