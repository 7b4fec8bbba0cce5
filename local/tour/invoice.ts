/** An invoice with what real ones contain: a picture, a table and several scripts. */
export const invoiceHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Invoice 2026-001</title>
<style>
  @page { margin: 2cm; @bottom-right { content: "Page " counter(page) " of " counter(pages) } }
  body { font: 11pt/1.5 Helvetica, Arial, sans-serif; color: #222 }
  header { display: flex; justify-content: space-between; align-items: center }
  table { width: 100%; border-collapse: collapse; margin: 2em 0 }
  th, td { padding: .4em; border-bottom: 1px solid #ccc; text-align: left }
  td:last-child, th:last-child { text-align: right }
  tfoot td { font-weight: bold }
</style>
</head>
<body>
<header>
  <h1>Invoice 2026-001</h1>
  <svg width="64" height="64" viewBox="0 0 64 64"><circle cx="32" cy="32" r="30" fill="#2775ca"/><text x="32" y="43" font-size="30" text-anchor="middle" fill="#fff">T</text></svg>
</header>
<p>To: 山田商店, شركة النور, Müller &amp; Søn 🧾</p>
<table>
  <thead><tr><th>Item</th><th>USDC</th></tr></thead>
  <tbody><tr><td>Three boxes of paper</td><td>36.00</td></tr><tr><td>Delivery</td><td>6.00</td></tr></tbody>
  <tfoot><tr><td>Total</td><td>42.00</td></tr></tfoot>
</table>
<p>Payable within 30 days at <a href="https://example.com/pay">example.com/pay</a>.</p>
</body>
</html>`;
