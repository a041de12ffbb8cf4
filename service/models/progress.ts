import { megabytes } from './disk.ts';
import type { DownloadProgress } from './download.ts';

/** A stream that shows progress: standard error. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const BAR_CHARACTERS = 24;
/** Shortest time between two updates of the bar. */
const UPDATE_MS = 100;
/** Share of a file after which a line is written, where lines cannot be updated. */
const STEP = 0.25;

const bar = (share: number): string => {
  const filled = Math.round(share * BAR_CHARACTERS);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`;
};

/**
 * Shows how far the download of `name` is: a bar on a terminal, and a line for each quarter
 * elsewhere. `end` leaves the terminal's line empty.
 */
export const createProgressBar = (
  name: string,
  output: ProgressOutput,
  nowMs: () => number,
): { readonly show: (progress: DownloadProgress) => void; readonly end: () => void } => {
  const beganMs = nowMs();
  let firstBytes: number | undefined;
  let shownMs = -Infinity;
  let shownShare = 0;
  let width = 0;

  const line = ({ doneBytes, totalBytes }: DownloadProgress): string => {
    const seconds = Math.max(0.001, (nowMs() - beganMs) / 1_000);
    const speed = `${megabytes((doneBytes - (firstBytes ?? 0)) / seconds)}/s`;
    if (totalBytes === undefined) return `${name} ${megabytes(doneBytes)}, ${speed}`;
    const share = doneBytes / totalBytes;
    const percent = `${Math.floor(100 * share)} %`.padStart(5);
    return `${name} ${bar(share)} ${percent} of ${megabytes(totalBytes)}, ${speed}`;
  };

  return {
    show: (progress) => {
      firstBytes ??= progress.doneBytes;
      if (output.isTTY === true) {
        if (nowMs() - shownMs < UPDATE_MS) return;
        shownMs = nowMs();
        const text = line(progress);
        output.write(`\r${text.padEnd(width)}`);
        width = text.length;
        return;
      }
      const share = progress.totalBytes ? progress.doneBytes / progress.totalBytes : 0;
      if (share < shownShare + STEP) return;
      shownShare = Math.floor(share / STEP) * STEP;
      output.write(`${line(progress)}\n`);
    },
    end: () => {
      if (output.isTTY === true && width > 0) output.write(`\r${' '.repeat(width)}\r`);
    },
  };
};
