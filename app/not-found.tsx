export default function NotFound() {
  return (
    <main>
      <h1>There is nothing at this address</h1>
      <p>
        <a href="/">What Tuppence offers</a>
      </p>
    </main>
  );
}
