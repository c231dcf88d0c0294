/** Makes a queue for each id, in which works run one after another; each is told whether it has waited. */
export function turns(): <T>(id: string, work: (hasWaited: boolean) => Promise<T>) => Promise<T> {
  const lines = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const before = lines.get(id);
    const turn = before ? before.then(() => work(true)) : work(false);
    const line = turn.catch(() => {});
    lines.set(id, line);
    void line.then(() => {
      if (lines.get(id) === line) lines.delete(id);
    });
    return turn;
  };
}
