import { z } from 'zod';

/** The part of a page that leads to the next one: "Pagination". */
export const responseMetadata = z.object({ next_cursor: z.string().optional() }).optional();

interface Page {
  readonly response_metadata?: z.infer<typeof responseMetadata>;
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
