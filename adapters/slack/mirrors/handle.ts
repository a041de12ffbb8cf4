/** The content of `Posted.handle`: which messages of a mirror are texts, and their thread. */
export interface MirrorHandle {
  /** Number of messages with text, which come first; the others show files. */
  readonly texts: number;
  /** The first message of the thread in which they stand. */
  readonly threadTs: string | undefined;
}

const form = /^(?<texts>\d{1,3})(?:@(?<thread>[\d.]+))?$/;

export const handleOf = ({ texts, threadTs }: MirrorHandle): string =>
  threadTs === undefined ? String(texts) : `${texts}@${threadTs}`;

/** Parses a handle; with an unknown one all messages count as texts. */
export const readHandle = (handle: string | undefined, messages: number): MirrorHandle => {
  const groups = form.exec(handle ?? '')?.groups;
  return {
    texts: groups ? Number(groups['texts']) : messages,
    threadTs: groups?.['thread'],
  };
};
