"""What stands on each page: values for its template, made of the documents and of nothing else."""
