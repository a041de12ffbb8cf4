import { AppError } from '../errors.ts';

/** Reads the bytes of a reply; throws `bad-reply` with `tooLong` beyond a number of them. */
export const readBytes = async (
  body: AsyncIterable<Uint8Array>,
  longestBytes: number,
  tooLong: string,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > longestBytes) throw new AppError('bad-reply', tooLong);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
