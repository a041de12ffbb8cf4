import { AppError } from '../../src/errors.ts';
import {
  demandFileHost,
  fetchFile,
  readFile,
  type FileHosts,
} from '../../src/http/attached-file.ts';
import type { ByteSource } from '../../src/model/file.ts';

/** Hosts of Slack's private files ("Working with files"). */
const HOSTS: ReadonlySet<string> = new Set(['files.slack.com', 'slack-files.com']);
const GONE: ReadonlySet<number> = new Set([404, 410]);

export interface RemoteFile {
  readonly url: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** Resolves with the token of the workspace whose file it is. */
  readonly token: () => Promise<string | undefined>;
}

/** Opens files of Slack's hosts only; the token goes nowhere else, and no redirect is followed. */
export type OpenRemoteFile = (file: RemoteFile) => ByteSource;

/** @param apiUrl server to use instead of Slack, which then also stores the files */
export const createOpenFile = (apiUrl: string | undefined): OpenRemoteFile => {
  const ownOrigin = apiUrl === undefined ? undefined : new URL(apiUrl).origin;
  const at: FileHosts = { platform: 'Slack', hosts: HOSTS, ownOrigin };

  const fetchPrivate = async ({ url, token }: RemoteFile, signal: AbortSignal | undefined) => {
    demandFileHost(url, at);
    const known = await token();
    if (known === undefined)
      throw new AppError('forbidden', 'the app is not installed where the file is');
    return fetchFile(url, at, signal, { authorization: `Bearer ${known}` });
  };

  return (file) => ({
    sizeBytes: file.sizeBytes,
    async *open(signal) {
      const response = await fetchPrivate(file, signal);
      const isPage = String(response.headers['content-type'] ?? '').startsWith('text/html');
      // Without the scope files:read Slack answers with its login page and status 200.
      if (response.statusCode === 200 && isPage && !file.mediaType.startsWith('text/html')) {
        await response.body.dump();
        const advice = 'Slack gives no files to the app: add the scope files:read';
        throw new AppError('forbidden', advice);
      }
      yield* readFile(response, file.sizeBytes, GONE, at, signal);
    },
  });
};
